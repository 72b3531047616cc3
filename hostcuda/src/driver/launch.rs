//! Kernel launches for both APIs.

use crate::boundary::{Out, StreamArg, exports, list};
use crate::code::{Code, Result};
use crate::event;
use crate::handle::Handle;
use crate::kernel::{Kernel, Launch, Shape, of_handle, setting};
use crate::report::{report, report_once};
use crate::submit::submit;
use crate::work::Work;
use cuda_abi::{
    CUstream, EventUse, LAUNCH_CLUSTER_DIMENSION, LAUNCH_CLUSTER_SCHEDULING, LAUNCH_PREFERRED_CLUSTER_DIMENSION,
    LaunchAttribute, LaunchConfig,
};
use std::ffi::c_void;
use std::sync::Arc;

/// The arguments of a launch: pointers to them, or a buffer of them.
type Arguments = (*const *const c_void, *const usize);

/// dim3.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Dim3(pub(crate) [u32; 3]);

/// Returns the shape in a launch structure.
pub(crate) fn shape(config: &LaunchConfig) -> Shape {
    Shape { grid: config.grid, block: config.block, shared: config.shared as usize }
}

/// Returns the attributes in a launch structure.
fn attributes(config: &LaunchConfig) -> Result<Vec<LaunchAttribute>> {
    list::read(Out::at_address(config.attributes as usize), config.count as usize)
}

/// Refuses clusters of blocks, which depend on the device.
fn check_attributes(config: &LaunchConfig) -> Result {
    let of_clusters = |attribute: &LaunchAttribute| {
        matches!(
            attribute.id,
            LAUNCH_CLUSTER_DIMENSION | LAUNCH_CLUSTER_SCHEDULING | LAUNCH_PREFERRED_CLUSTER_DIMENSION
        )
    };
    if attributes(config)?.iter().any(of_clusters) { Err(Code::NOT_SUPPORTED) } else { Ok(()) }
}

/// Records the events that the attributes name, after the kernel.
fn record_events(config: &LaunchConfig) -> Result {
    for LaunchAttribute { id, value, .. } in attributes(config)? {
        if let EventUse::Records(recorded) = value.event_use(id) {
            let (recorded, stream) = (recorded.address(), StreamArg(config.stream.address()));
            event::get(recorded)?.record(recorded, stream.get_for_event()?, false)?;
        }
    }
    Ok(())
}

/// Refuses a launch or a module if the setting refuses all launches.
pub(crate) fn check_setting() -> Result {
    if setting().runs_something() {
        return Ok(());
    }
    report_once("refuse", || {
        report(format_args!("kernels and modules are refused: GEVT_HOSTCUDA_KERNELS says what is done with them"));
    });
    Err(Code::NOT_SUPPORTED)
}

/// Returns a launch of a shape that a device supports.
pub(crate) fn prepare(kernel: &'static Kernel, shape: Shape, arguments: Arguments, device: i32) -> Result<Work> {
    check_setting()?;
    if !shape.is_possible() {
        return Err(Code::INVALID_VALUE);
    }
    Ok(Work::Kernel(Arc::new(Launch::new(kernel, shape, arguments, device)?)))
}

/// Submits a kernel to a stream.
fn launch(kernel: Handle, shape: Shape, arguments: Arguments, stream: StreamArg) -> Result {
    let (kernel, stream) = (of_handle(kernel)?, stream.get()?);
    submit(stream, prepare(kernel, shape, arguments, stream.context()?.device)?)
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
    fn cuLaunchKernel
        (kernel: Handle, gx: u32, gy: u32, gz: u32, bx: u32, by: u32, bz: u32, shared: u32, stream: StreamArg,
         arguments: *const *const c_void, extra: *const usize) on stream {
        launch(kernel, Shape { grid: [gx, gy, gz], block: [bx, by, bz], shared: shared as usize }, (arguments, extra), stream)
    }
    fn cuLaunchCooperativeKernel
        (kernel: Handle, gx: u32, gy: u32, gz: u32, bx: u32, by: u32, bz: u32, shared: u32, stream: StreamArg,
         arguments: *const *const c_void) on stream {
        let shape = Shape { grid: [gx, gy, gz], block: [bx, by, bz], shared: shared as usize };
        launch(kernel, shape, (arguments, std::ptr::null()), stream)
    }
    fn cuLaunchKernelEx(config: Out<LaunchConfig>, kernel: Handle, arguments: *const *const c_void, extra: *const usize) {
        launch_with(config, kernel, (arguments, extra), false)
    }
    fn cuLaunchKernelEx_ptsz(config: Out<LaunchConfig>, kernel: Handle, arguments: *const *const c_void, extra: *const usize) {
        launch_with(config, kernel, (arguments, extra), true)
    }
}
