//! Kernel launches. A handle or a stub function in the host code names the kernel.

use crate::boundary::{Out, StreamArg, exports, through};
use crate::code::{Code, Result};
use crate::driver::launch::{Arguments, Dim3, check_setting, shape, start};
use crate::handle::Handle;
use crate::kernel::{Shape, of_symbol};
use cuda_abi::{CUstream, LaunchConfig};
use std::ffi::c_void;

fn launch(function: usize, shape: Shape, arguments: *const *const c_void, stream: StreamArg) -> Result {
    check_setting("cudaLaunchKernel")?;
    let arguments: Arguments = (arguments, std::ptr::null());
    start(of_symbol(function)?, shape, arguments, stream, Code::INVALID_CONFIGURATION)
}

/// Launches through the driver function, so an interposing library sees events in the attributes.
fn launch_with(
    config: Out<LaunchConfig>,
    function: usize,
    arguments: *const *const c_void,
    per_thread: bool,
) -> Result {
    check_setting("cudaLaunchKernelExC")?;
    let mut config = config.get()?;
    if per_thread {
        config.stream = CUstream(StreamArg(config.stream.address()).per_thread().0 as *mut c_void);
    }
    if !shape(&config).is_possible() {
        return Err(Code::INVALID_CONFIGURATION);
    }
    let kernel = of_symbol(function)?.handle()?;
    let (config, extra) = (Out::of(&mut config), std::ptr::null());
    through!(cuLaunchKernelEx(config: Out<LaunchConfig>, kernel: Handle, arguments: *const *const c_void, extra: *const usize))
}

exports! { inside;
    fn cudaLaunchKernel | cudaLaunchKernel_ptsz
        (function: usize, grid: Dim3, block: Dim3, arguments: *const *const c_void, shared: usize, stream: StreamArg) on stream {
        launch(function, Shape { grid: grid.array(), block: block.array(), shared }, arguments, stream)
    }
    fn __cudaLaunchKernel | __cudaLaunchKernel_ptsz
        (function: usize, grid: Dim3, block: Dim3, arguments: *const *const c_void, shared: usize, stream: StreamArg) on stream {
        launch(function, Shape { grid: grid.array(), block: block.array(), shared }, arguments, stream)
    }
    fn cudaLaunchCooperativeKernel | cudaLaunchCooperativeKernel_ptsz
        (function: usize, grid: Dim3, block: Dim3, arguments: *const *const c_void, shared: usize, stream: StreamArg) on stream {
        launch(function, Shape { grid: grid.array(), block: block.array(), shared }, arguments, stream)
    }
    fn cudaLaunchKernelExC(config: Out<LaunchConfig>, function: usize, arguments: *const *const c_void) {
        launch_with(config, function, arguments, false)
    }
    fn cudaLaunchKernelExC_ptsz(config: Out<LaunchConfig>, function: usize, arguments: *const *const c_void) {
        launch_with(config, function, arguments, true)
    }
}
