//! Kernel launches. A handle or a stub function in the host code names the kernel.

use crate::boundary::{Out, StreamArg, exports, through};
use crate::code::{Code, Result};
use crate::driver::launch::{Dim3, check_setting, shape};
use crate::handle::Handle;
use crate::kernel::{Shape, of_symbol};
use cuda_abi::{CUstream, LaunchConfig};
use std::ffi::c_void;

/// Launches through the driver function, so an interposing library sees the launch.
fn launch(
    function: usize,
    grid: Dim3,
    block: Dim3,
    arguments: *const *const c_void,
    shared: usize,
    stream: StreamArg,
) -> Result {
    check_setting()?;
    let kernel = of_symbol(function)?;
    let (Dim3(grid), Dim3(block)) = (grid, block);
    if !(Shape { grid, block, shared }).is_possible() {
        return Err(Code::INVALID_VALUE);
    }
    let (kernel, shared, extra) = (kernel.handle()?, u32::try_from(shared).unwrap_or(u32::MAX), std::ptr::null());
    let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
    through!(cuLaunchKernel(kernel: Handle, gx: u32, gy: u32, gz: u32, bx: u32, by: u32, bz: u32, shared: u32, stream: StreamArg,
                            arguments: *const *const c_void, extra: *const usize))
}

/// Launches through the driver function, so an interposing library sees events in the attributes.
fn launch_with(
    config: Out<LaunchConfig>,
    function: usize,
    arguments: *const *const c_void,
    per_thread: bool,
) -> Result {
    check_setting()?;
    let mut config = config.get()?;
    if per_thread {
        config.stream = CUstream(StreamArg(config.stream.address()).per_thread().0 as *mut c_void);
    }
    if !shape(&config).is_possible() {
        return Err(Code::INVALID_VALUE);
    }
    let kernel = of_symbol(function)?.handle()?;
    let (config, extra) = (Out::of(&mut config), std::ptr::null());
    through!(cuLaunchKernelEx(config: Out<LaunchConfig>, kernel: Handle, arguments: *const *const c_void, extra: *const usize))
}

exports! { inside;
    fn cudaLaunchKernel
        = __cudaLaunchKernel, cudaLaunchCooperativeKernel
        (function: usize, grid: Dim3, block: Dim3, arguments: *const *const c_void, shared: usize, stream: StreamArg) on stream {
        launch(function, grid, block, arguments, shared, stream)
    }
    fn cudaLaunchKernelExC(config: Out<LaunchConfig>, function: usize, arguments: *const *const c_void) {
        launch_with(config, function, arguments, false)
    }
    fn cudaLaunchKernelExC_ptsz(config: Out<LaunchConfig>, function: usize, arguments: *const *const c_void) {
        launch_with(config, function, arguments, true)
    }
}
