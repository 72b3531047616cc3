//! Launches of kernels, for both APIs.

use crate::boundary::{Out, StreamArg, list};
use crate::code::{Code, Result};
use crate::event;
use crate::graph::Step;
use crate::kernel::{Kernel, Launch, Shape, setting};
use crate::report::{report, report_once};
use crate::submit::submit;
use crate::work::Work;
use cuda_abi::{
    LAUNCH_CLUSTER_DIMENSION, LAUNCH_CLUSTER_SCHEDULING, LAUNCH_PREFERRED_CLUSTER_DIMENSION, LaunchAttribute,
    LaunchConfig,
};
use std::ffi::c_void;
use std::sync::Arc;

/// The arguments of a launch: pointers to them, or a buffer of them.
pub(crate) type Arguments = (*const *const c_void, *const usize);

/// dim3.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Dim3 {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) z: u32,
}

impl Dim3 {
    pub(crate) fn array(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

/// What of a launch stands in a structure.
pub(crate) fn shape(config: &LaunchConfig) -> Shape {
    Shape { grid: config.grid, block: config.block, shared: config.shared as usize }
}

/// The attributes of a launch that is given by a structure.
fn attributes(config: &LaunchConfig) -> Result<Vec<LaunchAttribute>> {
    list::read(Out::at_address(config.attributes as usize), config.count as usize)
}

/// Refuses clusters of blocks, which depend on the device.
pub(crate) fn check_attributes(config: &LaunchConfig) -> Result {
    let of_clusters = |attribute: &LaunchAttribute| {
        matches!(
            attribute.id,
            LAUNCH_CLUSTER_DIMENSION | LAUNCH_CLUSTER_SCHEDULING | LAUNCH_PREFERRED_CLUSTER_DIMENSION
        )
    };
    if attributes(config)?.iter().any(of_clusters) { Err(Code::NOT_SUPPORTED) } else { Ok(()) }
}

/// Records the events that the attributes name, after the kernel.
pub(crate) fn record_events(config: &LaunchConfig) -> Result {
    for LaunchAttribute { id, value, .. } in attributes(config)? {
        if let Some(recorded) = value.recorded(id) {
            let (recorded, stream) = (recorded.address(), StreamArg(config.stream.address()));
            event::get(recorded)?.record(recorded, stream.get_for_event()?, false)?;
        }
    }
    Ok(())
}

/// Refuses a launch, where all are refused.
pub(crate) fn check_setting(name: &'static str) -> Result {
    if setting().runs_something() {
        return Ok(());
    }
    report_once(name, || {
        report(format_args!("{name} answers NOT_SUPPORTED: GEVT_HOSTCUDA_KERNELS says what is done with kernels"));
    });
    Err(Code::NOT_SUPPORTED)
}

/// Gives a kernel to a stream. A shape that no device can have has a code of its own in each API.
pub(crate) fn start(
    kernel: &'static Kernel,
    shape: Shape,
    arguments: Arguments,
    stream: StreamArg,
    bad: Code,
) -> Result {
    if !shape.is_possible() {
        return Err(bad);
    }
    let stream = stream.get()?;
    let launch = Launch::new(kernel, shape, arguments, stream.context()?.device)?;
    submit(stream, Work::Kernel(Arc::new(launch)))
}

/// A step that runs a kernel.
pub(crate) fn step(
    kernel: &'static Kernel,
    shape: Shape,
    arguments: Arguments,
    device: i32,
    bad: Code,
) -> Result<Step> {
    if !shape.is_possible() {
        return Err(bad);
    }
    Ok(Step::Work(Work::Kernel(Arc::new(Launch::new(kernel, shape, arguments, device)?))))
}
