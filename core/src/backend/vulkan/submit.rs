//! gevt's part in the program's submits, for the functions of that name in gevt.h.

use super::batch::CANCELED;
use super::cell::{VulkanCell, VulkanMark, mark_of};
use super::device::{SYNCHRONIZATION2, Vulkan};
use super::timeline::{Timeline, check_submit};
use super::wrap::{ended_or_not, of};
use crate::backend::{Backend, Cell, Mark, NativeStream};
use crate::error::{Error, Result};
use ash::vk::{self, Handle};
use std::ffi::c_void;

/// An open batch's additions to the program's submit.
pub struct Batch {
    /// VkSemaphoreSubmitInfo structures, which stay valid until the batch ends.
    pub waits: *const c_void,
    /// Their number.
    pub wait_count: u32,
    /// One VkSemaphoreSubmitInfo, which stays valid until the batch ends.
    pub signal: *const c_void,
    /// The same for vkQueueSubmit: VkSemaphore handles, their values, and VkPipelineStageFlags masks.
    pub wait_semaphores: *const c_void,
    /// The values.
    pub wait_values: *const u64,
    /// The masks.
    pub wait_stages: *const u32,
    /// One VkSemaphore.
    pub signal_semaphore: *const c_void,
    /// Its value.
    pub signal_value: *const u64,
    /// Names the batch.
    pub ticket: u64,
}

/// A value of a timeline semaphore.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    /// The VkSemaphore.
    pub semaphore: u64,
    /// The value.
    pub value: u64,
}

impl Point {
    /// Makes the mark of a new event.
    ///
    /// # Safety
    /// The semaphore is a timeline semaphore of the backend's device, which outlives the event.
    pub(crate) unsafe fn wrap(self, backend: &dyn Backend, cell: &Cell) -> Result<()> {
        let device = of(backend)?;
        let cell = VulkanCell::of(cell);
        let timeline = Timeline::wrap(device, vk::Semaphore::from_raw(self.semaphore));
        cell.set(&mut cell.lock(), mark_of(timeline, self.value, 0));
        Ok(())
    }

    /// Rejects a null semaphore.
    pub(crate) fn check(&self) -> Result<()> {
        if self.semaphore == 0 { Err(Error::NullPointer("semaphore")) } else { Ok(()) }
    }
}

/// Writes the timestamp of the cell's next batch into a command buffer.
///
/// # Safety
/// The VkCommandBuffer is null, or one of the backend's device that is being recorded and is the calling thread's to record.
pub(crate) unsafe fn write_time(backend: &dyn Backend, cell: &Cell, command_buffer: u64, stage: u64) -> Result<()> {
    let device = of(backend)?;
    if stage.count_ones() != 1 {
        return Err(Error::BadArgument("stage"));
    }
    check_stages(device, stage)?;
    if stage > u64::from(u32::MAX) && device.functions.write_time2.is_none() {
        return Err(NEEDS_SYNCHRONIZATION2);
    }
    if command_buffer == 0 {
        return Err(Error::NullPointer("command_buffer"));
    }
    let _call = device.enter()?;
    let cell = VulkanCell::of(cell);
    super::stream::check_recordable(VulkanMark::of(cell.mark()))?;
    let place = cell.place_to_write(device)?;
    place.prepare(device);
    // SAFETY: this function requires it to be a command buffer that this thread may record; the stage has been checked.
    unsafe { place.write(device, vk::CommandBuffer::from_raw(command_buffer), stage) };
    Ok(())
}

const NEEDS_SYNCHRONIZATION2: Error = Error::Unsupported("the stage needs synchronization2");

/// Rejects stages that the device does not have without synchronization2.
fn check_stages(device: &Vulkan, stages: u64) -> Result<()> {
    if stages > u64::from(u32::MAX) && !device.has(SYNCHRONIZATION2) { Err(NEEDS_SYNCHRONIZATION2) } else { Ok(()) }
}

/// Makes the stages of later work in the stream wait for the mark, or all of it.
pub(super) fn wait(
    device: &'static Vulkan,
    stream: NativeStream,
    mark: Mark,
    stages: Option<vk::PipelineStageFlags2>,
) -> Result<()> {
    let Some(mark) = VulkanMark::of(mark) else { return Ok(()) };
    check_submit(mark.timeline, mark.value)?;
    if mark.timeline.spans.at(mark.value).is_some() {
        mark.reached()?;
    }
    device.stream(stream)?.wait(mark, stages)
}

/// Makes these stages of the stream's next batch wait for the mark.
pub(crate) fn wait_in(backend: &dyn Backend, stream: NativeStream, mark: Mark, stages: u64) -> Result<()> {
    wait(of(backend)?, stream, mark, Some(vk::PipelineStageFlags2::from_raw(stages)))
}

/// Returns whether streams of the backend can wait with these stages.
pub(crate) fn check_wait(backend: &dyn Backend, stages: u64) -> Result<()> {
    let device = of(backend)?;
    if stages == 0 { Err(Error::BadArgument("stages")) } else { check_stages(device, stages) }
}

/// The timestamp of a mark that is reached, and the nanoseconds of a tick.
pub(crate) fn ticks(backend: &dyn Backend, mark: Mark) -> Result<(u64, f64)> {
    let device = of(backend)?;
    let mark = VulkanMark::of(mark).ok_or(Error::NoTime)?;
    let (ticks, _) = mark.stamp(device, 0)?.ok_or(Error::NoTime)?;
    Ok((ticks, device.period))
}

/// Begins a batch that records the cells, all distinct.
pub(crate) fn begin(
    backend: &dyn Backend,
    stream: NativeStream,
    cells: impl Iterator<Item = &'static Cell> + Clone,
) -> Result<Batch> {
    of(backend)?.stream(stream)?.begin(cells)
}

/// Ends the batch, even if the device is lost; `result` is the VkResult of the program's submit.
pub(crate) fn end(backend: &dyn Backend, stream: NativeStream, ticket: u64, result: i32) -> Result<()> {
    let device = ended_or_not(backend)?;
    let failed = match vk::Result::from_raw(result) {
        vk::Result::SUCCESS => None,
        code => Some(device.error(code).status()),
    };
    device.stream(stream)?.end(ticket, failed, true)
}

/// Ends the batch without a submit, even if the device is lost.
pub(crate) fn cancel(backend: &dyn Backend, stream: NativeStream, ticket: u64) -> Result<()> {
    ended_or_not(backend)?.stream(stream)?.end(ticket, Some(CANCELED), true)
}

/// Where the mark is reached.
pub(crate) fn point(backend: &dyn Backend, mark: Mark) -> Result<Point> {
    of(backend)?;
    let point = |mark: VulkanMark| Point { semaphore: mark.timeline.semaphore.as_raw(), value: mark.value };
    Ok(VulkanMark::of(mark).map_or(Point { semaphore: 0, value: 0 }, point))
}
