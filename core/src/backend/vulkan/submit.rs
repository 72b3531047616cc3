//! gevt's part in the program's submits, for the functions of that name in gevt.h.

use super::batch::CANCELED;
use super::cell::{VulkanMark, lock, mark_of, place_to_write};
use super::device::Vulkan;
use super::native::{NativeDevice, SYNCHRONIZATION2};
use super::submit_lists::Batch;
use super::timeline::Timeline;
use super::wrap::{ended_or_not, of};
use crate::backend::{Backend, Cell, EventRef, Mark, NativeStream, StreamRef, WaitMode};
use crate::error::{Error, Result};
use ash::vk::{self, Handle};
use std::sync::Arc;

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
        let timeline = Timeline::wrap(device.native.clone(), vk::Semaphore::from_raw(self.semaphore));
        cell.lock().set(mark_of(timeline, self.value, None));
        Ok(())
    }

    /// Rejects a null semaphore.
    pub(crate) fn check(&self) -> Result<()> {
        if self.semaphore == 0 { Err(Error::NullPointer("semaphore")) } else { Ok(()) }
    }
}

/// Writes the timestamp of the event's next batch into a command buffer. The caller pins the device; the event may end meanwhile.
///
/// # Safety
/// The VkCommandBuffer is null, or one of the backend's device that is being recorded and is the calling thread's to record.
pub(crate) unsafe fn write_time(
    backend: &dyn Backend,
    event: EventRef<'_>,
    command_buffer: u64,
    stage: u64,
) -> Result<()> {
    let device = of(backend)?;
    if stage.count_ones() != 1 {
        return Err(Error::BadArgument("stage"));
    }
    if !device.can_reset() {
        return Err(NEEDS_RESET);
    }
    check_stages(device, stage)?;
    if stage > u64::from(u32::MAX) && device.functions.write_time2.is_none() {
        return Err(NEEDS_SYNCHRONIZATION2);
    }
    if command_buffer == 0 {
        return Err(Error::NullPointer("command_buffer"));
    }
    device.check_pinned()?;
    let place = place_to_write(event, &device.times)?;
    // SAFETY: this function requires it to be a command buffer that this thread may record; the stage has been checked.
    unsafe { place.write(device, vk::CommandBuffer::from_raw(command_buffer), stage) };
    Ok(())
}

const NEEDS_RESET: Error = Error::Unsupported("gevt_vulkan_write_time needs hostQueryReset");
const NEEDS_SYNCHRONIZATION2: Error = Error::Unsupported("the stage needs synchronization2");

/// Rejects stages that the device does not have without synchronization2.
fn check_stages(device: &NativeDevice, stages: u64) -> Result<()> {
    if stages > u64::from(u32::MAX) && device.made.features & SYNCHRONIZATION2 == 0 {
        Err(NEEDS_SYNCHRONIZATION2)
    } else {
        Ok(())
    }
}

/// Makes later work in the stream wait for the mark.
pub(super) fn wait(device: &Arc<Vulkan>, stream: NativeStream, mark: Mark, mode: WaitMode) -> Result<()> {
    let Some(mark) = VulkanMark::of(mark) else { return Ok(()) };
    if mark.timeline.spans.at(mark.value).is_some() {
        mark.reached()?;
    }
    let stages = match mode {
        WaitMode::Stages(stages) => Some(vk::PipelineStageFlags2::from_raw(stages)),
        WaitMode::Plain | WaitMode::External => None,
    };
    device.stream(stream)?.wait(mark, stages)
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

/// Begins a batch that records the events. The caller pins the device; the stream and the events may end meanwhile.
#[inline]
pub(crate) fn begin(
    backend: &dyn Backend,
    stream: &StreamRef<'_>,
    events: impl Iterator<Item = EventRef<'static>> + Clone,
) -> Result<Batch> {
    of(backend)?.stream(stream.native)?.begin(stream, events)
}

/// Ends the batch, even if the device is lost; `result` is the VkResult of the program's submit, if there was one.
pub(crate) fn end(backend: &dyn Backend, stream: NativeStream, ticket: u64, result: Option<i32>) -> Result<()> {
    let device = ended_or_not(backend)?;
    let failed = match result.map(vk::Result::from_raw) {
        Some(vk::Result::SUCCESS) => None,
        Some(code) => Some(device.error(code).status()),
        None => Some(CANCELED),
    };
    device.stream(stream)?.end(ticket, failed)
}

/// Where the event's last record is reached.
pub(crate) fn point(backend: &dyn Backend, event: EventRef<'_>) -> Result<Point> {
    of(backend)?;
    let _locked = lock(event)?;
    let mark = event.cell.words();
    let point = |mark: VulkanMark| Point { semaphore: mark.timeline.semaphore.as_raw(), value: mark.value };
    Ok(VulkanMark::of(mark).map_or(Point { semaphore: 0, value: 0 }, point))
}
