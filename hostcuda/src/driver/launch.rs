//! Launches of kernels.

use crate::both::launch::{Arguments, check_attributes, check_setting, record_events, shape, start};
use crate::boundary::{Out, StreamArg, exports};
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::kernel::{Shape, of_handle};
use cuda_abi::{CUstream, LaunchConfig};
use std::ffi::c_void;

fn launch(kernel: Handle, shape: Shape, arguments: Arguments, stream: StreamArg) -> Result {
    start(of_handle(kernel)?, shape, arguments, stream, Code::INVALID_VALUE)
}

fn launch_with(config: Out<LaunchConfig>, kernel: Handle, arguments: Arguments, per_thread: bool) -> Result {
    let mut config = config.get()?;
    config.shared &= u64::from(u32::MAX);
    let stream = StreamArg(config.stream.address());
    let stream = if per_thread { stream.per_thread() } else { stream };
    config.stream = CUstream(stream.0 as *mut c_void);
    check_attributes(&config)?;
    launch(kernel, shape(&config), arguments, stream)?;
    record_events(&config)
}

exports! { driver;
    fn cuLaunchKernel | cuLaunchKernel_ptsz
        (kernel: Handle, gx: u32, gy: u32, gz: u32, bx: u32, by: u32, bz: u32, shared: u32, stream: StreamArg,
         arguments: *const *const c_void, extra: *const usize) on stream {
        check_setting("cuLaunchKernel")?;
        launch(kernel, Shape { grid: [gx, gy, gz], block: [bx, by, bz], shared: shared as usize }, (arguments, extra), stream)
    }
    fn cuLaunchCooperativeKernel | cuLaunchCooperativeKernel_ptsz
        (kernel: Handle, gx: u32, gy: u32, gz: u32, bx: u32, by: u32, bz: u32, shared: u32, stream: StreamArg,
         arguments: *const *const c_void) on stream {
        check_setting("cuLaunchCooperativeKernel")?;
        let shape = Shape { grid: [gx, gy, gz], block: [bx, by, bz], shared: shared as usize };
        launch(kernel, shape, (arguments, std::ptr::null()), stream)
    }
    fn cuLaunchKernelEx(config: Out<LaunchConfig>, kernel: Handle, arguments: *const *const c_void, extra: *const usize) {
        check_setting("cuLaunchKernelEx")?;
        launch_with(config, kernel, (arguments, extra), false)
    }
    fn cuLaunchKernelEx_ptsz(config: Out<LaunchConfig>, kernel: Handle, arguments: *const *const c_void, extra: *const usize) {
        check_setting("cuLaunchKernelEx")?;
        launch_with(config, kernel, (arguments, extra), true)
    }
}
