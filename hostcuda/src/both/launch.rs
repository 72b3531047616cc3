//! Launches of kernels, for both APIs.

use crate::boundary::{Out, StreamArg};
use crate::code::{Code, Result};
use crate::event;
use crate::graph::Step;
use crate::handle::Handle;
use crate::kernel::{Kernel, Launch, Shape, setting};
use crate::report::{report, report_once};
use crate::submit::submit;
use crate::work::Work;
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

/// CUlaunchConfig and cudaLaunchConfig_t. The shared memory has 4 bytes in the driver API, and 8 in the runtime API.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Config {
    grid: Dim3,
    block: Dim3,
    pub(crate) shared: usize,
    pub(crate) stream: StreamArg,
    attributes: Out<Attribute>,
    count: u32,
}

/// CUlaunchAttribute, as far as it matters: its value begins with an event for those that record one.
#[repr(C)]
#[derive(Clone, Copy)]
struct Attribute {
    number: u32,
    padding: u32,
    event: Handle,
    rest: [u64; 7],
}

/// Attributes that record an event: when the kernel lets others start, and when all its blocks have begun.
const RECORDS: [u32; 2] = [7, 12];

impl Config {
    pub(crate) fn shape(&self) -> Shape {
        Shape { grid: self.grid.array(), block: self.block.array(), shared: self.shared }
    }

    /// Records the events that the attributes name, behind the kernel.
    pub(crate) fn record(&self) -> Result {
        for at in 0..self.count as usize {
            let Attribute { number, event, .. } = self.attributes.at(at).get()?;
            if RECORDS.contains(&number) {
                event::get(event)?.record(event, self.stream.get_for_event()?, false)?;
            }
        }
        Ok(())
    }
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
