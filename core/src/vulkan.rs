//! Vulkan contexts with the program's devices, queues and submits: the implementation of libgevt's functions of these
//! names.

use crate::backend::{Backend, BackendKind, WaitMode, vulkan};
use crate::error::{Error, Result};
use crate::flags::WaitFlags;
use crate::machine::{batch, event, stream};
use crate::process;
use crate::table::{Context, Event, Stream};

pub use vulkan::{Batch, DeviceInfo, Point, QueueInfo};

/// Makes a context for the program's device, or another handle to the device's existing context.
///
/// # Safety
/// Each non-null, nonzero field is what its name says and belongs to one live device. The device lives until the last handle of the
/// context has been closed.
pub unsafe fn wrap_device(device: &DeviceInfo) -> Result<Context> {
    process::check()?;
    device.check()?;
    // SAFETY: by this function's requirement.
    Context::wrap_made(BackendKind::VULKAN, device.device, || unsafe { device.wrap() })
}

/// Makes a stream on the program's queue.
///
/// # Safety
/// The queue is null, or belongs to the context's device and to the given family. The functions may be called with `user` on any thread
/// until that context ends.
pub unsafe fn wrap_queue(context: Context, queue: QueueInfo) -> Result<Stream> {
    // SAFETY: by this function's requirement.
    Stream::create_as(context, |backend| unsafe { queue.wrap(backend) })
}

/// Begins a batch that records the events.
pub fn submit_begin(stream: Stream, events: impl ExactSizeIterator<Item = Event> + Clone) -> Result<Batch> {
    batch::begin(stream, events, |backend, stream, events| {
        vulkan::begin(backend, stream, events.iter().map(|event| event.to_ref()))
    })
}

/// Ends the batch; `result` is the VkResult of the program's submit.
pub fn submit_end(stream: Stream, ticket: u64, result: i32) -> Result<()> {
    stream::end_on(stream, |backend, stream| vulkan::end(backend, stream, ticket, Some(result)))
}

/// Cancels the batch, for which no submit was made.
pub fn submit_cancel(stream: Stream, ticket: u64) -> Result<()> {
    stream::end_on(stream, |backend, stream| vulkan::end(backend, stream, ticket, None))
}

/// Makes these stages of the stream's next batch wait for the event's last record.
pub fn stream_wait(stream: Stream, event: Event, stages: u64) -> Result<()> {
    // Bad handles come first, as in every call.
    event::get(event.0)?;
    vulkan::check_wait(&*stream::usable(stream.0)?.context.backend, stages)?;
    stream.wait_as(event, WaitFlags::DEFAULT, WaitMode::Stages(stages))
}

/// Returns the device's timestamp of the event's last record, and the nanoseconds of a tick; `None` while it is pending.
pub fn ticks(event: Event) -> Result<Option<(u64, f64)>> {
    event.read_time(vulkan::ticks)
}

/// Writes the timestamp of the event's next batch into a command buffer.
///
/// # Safety
/// The VkCommandBuffer is null, or one of the event's device that is being recorded and is the calling thread's to record.
pub unsafe fn write_time(event: Event, command_buffer: u64, stage: u64) -> Result<()> {
    // SAFETY: by this function's requirement.
    event::in_context(event, true, |backend, event| unsafe {
        vulkan::write_time(backend, event, command_buffer, stage)
    })
}

/// Returns where the event's last record completes.
pub fn point(event: Event) -> Result<Point> {
    match event::in_context(event, false, vulkan::point) {
        Err(Error::NotBound) => Ok(Point { semaphore: 0, value: 0 }),
        point => point,
    }
}

/// Makes an event that completes at the program's timeline point.
///
/// # Safety
/// The semaphore is null, or a timeline semaphore of the context's device, which outlives the event.
pub unsafe fn wrap_point(context: Context, point: Point) -> Result<Event> {
    process::check()?;
    point.check()?;
    // SAFETY: by this function's requirement; it is not null.
    Event::create_recorded(context, |backend: &dyn Backend, cell| unsafe { point.wrap(backend, cell) })
}
