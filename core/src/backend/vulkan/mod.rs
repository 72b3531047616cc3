//! The Vulkan backend: queues with timeline semaphores, on the program's devices or gevt's.
//!
//! A stream is a queue with a timeline (`stream.rs`); a mark is a value of it. What a queue cannot be given yet stays on the host
//! (`backlog.rs`). `batch.rs` has the program's own submits, `watcher.rs` the thread that wakes waiters.

mod backlog;
mod batch;
mod calls;
mod cell;
mod clock;
mod device;
mod devices;
mod end;
mod exit;
mod functions;
mod identity;
mod loader;
mod native;
mod open;
mod queue;
mod stamp;
mod stream;
mod submit;
mod submit_lists;
mod task;
#[cfg(test)]
mod tests;
mod timeline;
mod times;
mod watcher;
mod wrap;

use stamp::Ticks;
pub use submit::Point;
pub(crate) use submit::{begin, check_wait, end, point, ticks, write_time};
pub use submit_lists::Batch;
pub use wrap::{DeviceInfo, QueueInfo};

use super::deadlock::{Dependency, check_all};
use super::thread_streams::{self, Owner};
use super::{
    Backend, BackendKind, Cell, EventRef, Foreign, HostFn, IpcHandle, Left, Mark, NativeStream, Properties, Provider,
    RecordRef, Recorded, StreamRef, UNPINNED, WaitMode,
};
use crate::error::{Error, Result};
use crate::flags::EventFlags;
use crate::lifecycle::watch_exit;
use crate::point::{Opener, Pauses};
use crate::probe::{self, NATIVE_STREAMS, StreamId};
use crate::status::Status;
use crate::workers::{Parker, Waiter, start_thread};
use backlog::Work;
use cell::VulkanMark;
use device::Vulkan;
use native::{NativeDevice, part};
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};
use std::time::Instant;
use stream::VulkanStream;
use times::difference;

const NO_NATIVE: Error = Error::Unsupported("Vulkan events have no native object; gevt_vulkan_point gives their point");
const NO_EVENTS: Error =
    Error::Unsupported("Vulkan has no events to wrap; gevt_vulkan_wrap_point takes a timeline semaphore");
const NO_IPC: Error = Error::Unsupported("Vulkan events cannot be shared between processes");
const NO_QUEUE: Error = Error::Unsupported("the context has no queue that gevt may submit to: wrap one first");

/// Vulkan's devices.
pub(crate) const PROVIDER: Provider = Provider {
    wrap: |_| Err(Error::Unsupported("a VkDevice is wrapped by gevt_vulkan_wrap_device")),
    ..Provider::new(
        BackendKind::VULKAN,
        ("vulkan", "Vulkan"),
        || loader::devices().map(|devices| devices.len() as i32),
        |device| Ok(Box::new(open::open(device)?)),
    )
};

impl Vulkan {
    /// The stream of a token. The default one and the calling thread's own are made when they are first asked for.
    #[inline]
    fn stream(self: &Arc<Vulkan>, token: NativeStream) -> Result<&'static VulkanStream> {
        let token = match token {
            NativeStream::DEFAULT => {
                let mark = |stream: &&'static VulkanStream| stream.is_default.store(true, Ordering::Relaxed);
                return self.default.get_or_try_init(|| self.open_stream().inspect(mark)).copied();
            }
            NativeStream::PER_THREAD => {
                let open = || self.open_stream().map(|stream| (stream.token(), OwnStream(stream, self.clone())));
                thread_streams::get(Arc::as_ptr(self).addr(), open)?
            }
            token => token,
        };
        // SAFETY: of a stream of this device that its backend was passed, or the thread's own. The caller has the device in use.
        Ok(unsafe { VulkanStream::of(token) })
    }

    /// A stream on one of the queues that gevt may submit to, which take turns.
    fn open_stream(self: &Arc<Vulkan>) -> Result<&'static VulkanStream> {
        // Locked until the queue has the stream: one that has none may be replaced.
        let queues = self.queues.lock();
        let usable: Vec<_> = queues.iter().map(part).filter(|queue| queue.can_lock()).collect();
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let queue = usable.get(turn % usable.len().max(1)).copied().ok_or(NO_QUEUE)?;
        self.stream_on(queue, false, false)
    }

    /// The timestamp of the event's present record; `None` while that is pending or being made. The caller asks for up to `ahead` timestamps
    /// more.
    #[cold]
    fn stamp_of(&self, event: EventRef<'_>, ahead: usize) -> Result<Option<Ticks>> {
        let mut mark = mark_of(RecordRef::Last(event))?;
        loop {
            let stamp = VulkanMark::of(mark).ok_or(Error::NoTime)?.stamp(self, ahead);
            let now = mark_of(RecordRef::Last(event))?;
            if now == mark {
                return stamp;
            }
            // Another thread has recorded the event again.
            mark = now;
        }
    }
}

/// The timestamp of the event's present record, if it has been read.
#[inline(always)]
fn known_stamp_of(event: EventRef<'_>) -> Option<Ticks> {
    // Words of two marks name a record that the place of the timestamp does not have.
    let mark = event.cell.words();
    fence(Ordering::Acquire);
    // The mark of a later event of the cell may be another backend's.
    if event.lasts() { VulkanMark::of(mark)?.known_stamp() } else { None }
}

/// The mark of a record.
#[inline]
fn mark_of(record: RecordRef<'_>) -> Result<Mark> {
    let event = match record {
        RecordRef::Held(mark) => return Ok(mark),
        RecordRef::Last(event) => event,
    };
    let mark = event.cell.mark();
    // That of a later event of the cell may be another backend's.
    if event.lasts() { Ok(mark) } else { Err(UNPINNED) }
}

/// Blocks until the stream has finished the work submitted before the call, or until the deadline.
fn sync_until(stream: &'static VulkanStream, deadline: Option<Instant>) -> Result<bool> {
    check_all([stream.timeline.dependency(stream.given())], deadline)?;
    let done = stream.timeline.block(stream.given(), deadline)?
        && stream.all_waits(|wait| wait.timeline.block(wait.value, deadline))?;
    if done { stream.timeline.spans.end(|| stream.given()).map_or(Ok(true), Err) } else { Ok(false) }
}

/// A thread's own stream, with its device in use.
struct OwnStream(&'static VulkanStream, Arc<Vulkan>);

impl Owner for OwnStream {
    fn close(&self) {
        self.0.close(false);
    }

    fn has_ended(&self) -> bool {
        self.1.calls.has_ended()
    }
}

impl Backend for Arc<Vulkan> {
    fn properties(&self) -> Properties {
        use ash::vk::Handle;
        Properties {
            native: Some(self.handle.as_raw()),
            ends_with_handles: self.made.wrapped,
            pinned_as: self.calls.address(),
            spins: false,
            ..Properties::new(BackendKind::VULKAN, self.number, self.identity.clone())
        }
    }

    fn create_stream(&self, _: bool) -> Result<NativeStream> {
        self.open_stream().map(VulkanStream::token)
    }

    unsafe fn wrap_stream(&self, native: u64) -> Result<NativeStream> {
        match native {
            0 | 1 => Ok(NativeStream::DEFAULT),
            2 => Ok(NativeStream::PER_THREAD),
            _ => Err(Error::Unsupported("a VkQueue is wrapped by gevt_vulkan_wrap_queue")),
        }
    }

    fn destroy_stream(&self, stream: NativeStream, unused: bool) {
        // SAFETY: one of `create_stream` or of a wrapped queue, and the context has the device in use.
        let stream = unsafe { VulkanStream::of(stream) };
        if unused { stream.close(true) } else { stream.give_up(true) }
    }

    fn query_stream(&self, stream: NativeStream) -> Result<bool> {
        let stream = self.stream(stream)?;
        let done = stream.is_done()?;
        stream.timeline.spans.open().filter(|_| done).map_or(Ok(done), Err)
    }

    fn sync(&self, stream: Option<NativeStream>, deadline: Option<Instant>) -> Result<bool> {
        if let Some(stream) = stream {
            let stream = self.stream(stream)?;
            stream.mark_shared_end()?;
            return sync_until(stream, deadline);
        }
        // Destroyed streams too: they may have work or a failure left.
        let streams = self.all_streams();
        check_all(streams.iter().map(|stream| stream.timeline.dependency(stream.given())), deadline)?;
        let mut failed = Ok(true);
        for stream in streams {
            drop(stream.flush()?);
            match sync_until(stream, deadline) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                // Wait for all of them, then return the first failure.
                Err(error @ Error::EventFailed(_)) => failed = failed.and(Err(error)),
                Err(error) => return Err(error),
            }
        }
        failed
    }

    fn launch(&self, stream: &StreamRef<'_>, function: HostFn) -> Result<()> {
        probe::release(&NATIVE_STREAMS);
        self.stream(stream.native)?.queue_on_host(Work::Call(function))
    }

    fn wait(&self, stream: &StreamRef<'_>, record: RecordRef<'_>, mode: WaitMode) -> Result<()> {
        match record {
            RecordRef::Last(_) => Err(UNPINNED),
            RecordRef::Held(mark) => submit::wait(self, stream.native, mark, mode),
        }
    }

    fn gate(&self, stream: NativeStream) -> Result<Opener> {
        self.stream(stream)?.gate()
    }

    fn record(&self, stream: &StreamRef<'_>, event: EventRef<'_>, flags: EventFlags, _: bool) -> Result<Recorded> {
        if flags.contains(EventFlags::INTERPROCESS) {
            return Err(NO_IPC);
        }
        probe::release_native_record(event.cell);
        self.stream(stream.native)?.record(event.cell, flags.is_timed())?;
        Ok(Recorded::Pending)
    }

    fn hold(&self, cell: &Cell) -> Mark {
        cell.mark()
    }

    fn unhold(&self, _: &Cell, _: Mark) {}

    #[inline]
    fn reached(&self, record: RecordRef<'_>) -> Result<bool> {
        VulkanMark::of(mark_of(record)?).map_or(Ok(true), VulkanMark::reached)
    }

    fn block(&self, record: RecordRef<'_>, _: bool, deadline: Option<Instant>) -> Result<bool> {
        let Some(mark) = VulkanMark::of(mark_of(record)?) else { return Ok(true) };
        check_all([mark.timeline.dependency(mark.value)], deadline)?;
        Ok(mark.reached()? || mark.timeline.block(mark.value, deadline)? && mark.reached()?)
    }

    fn dependency(&self, mark: Mark) -> Option<Dependency> {
        VulkanMark::of(mark).map(|mark| mark.timeline.dependency(mark.value))
    }

    fn notify(&self, mark: Mark, waiter: Waiter) -> Result<Option<Waiter>> {
        match VulkanMark::of(mark) {
            Some(mark) if !mark.reached()? => mark.timeline.keep().notify(mark.value, waiter).map(|()| None),
            _ => Ok(Some(waiter)),
        }
    }

    fn pauses(&self, _: Mark) -> Option<Pauses> {
        Some(Pauses::UNLEARNED)
    }

    fn forget(&self, mark: Mark, parker: &Parker) {
        if let Some(mark) = VulkanMark::of(mark) {
            self.notifier.forget(mark.timeline.key(), mark.value, parker);
        }
    }

    fn traced(&self, stream: NativeStream) -> StreamId {
        let unknown = |_| StreamId { place: self.place(), native: 0, is_default: false };
        self.stream(stream).map_or_else(unknown, VulkanStream::traced)
    }

    fn host_time(&self, mark: Mark) -> Result<Option<(i64, u64)>> {
        let stamp = VulkanMark::of(mark).ok_or(Error::NoTime)?.stamp(self, 0)?.ok_or(Error::NoTime)?;
        self.clock.time(self, stamp).map(Some)
    }

    fn calibrate(&self) -> Result<()> {
        self.clock.compare(self).map(drop)
    }

    fn elapsed(&self, start: EventRef<'_>, end: EventRef<'_>, ahead: usize) -> Result<Option<i64>> {
        self.check_pinned()?;
        let stamp = |event| match known_stamp_of(event) {
            None => self.stamp_of(event, ahead),
            known => Ok(known),
        };
        let (Some(start), Some(end)) = (stamp(start)?, stamp(end)?) else { return Ok(None) };
        let ns = difference(start, end) as f64 * self.period;
        // Rounded: `round` is a call.
        Ok(Some((ns + 0.5_f64.copysign(ns)) as i64))
    }

    fn release(&self, cell: &Cell, _: EventFlags, _: Left) {
        cell::release(&self.times, cell);
    }

    fn give_native(&self, _: &Cell, _: EventFlags) -> Result<u64> {
        Err(NO_NATIVE)
    }

    unsafe fn fill(&self, _: &Cell, event: Foreign<'_>) -> Result<()> {
        Err(if let Foreign::Native(..) = event { NO_EVENTS } else { NO_IPC })
    }

    fn export(&self, _: &Cell, _: EventFlags) -> Result<IpcHandle> {
        Err(NO_IPC)
    }

    fn native_stream(&self, stream: NativeStream) -> Result<(u64, Option<u32>)> {
        use ash::vk::Handle;
        let queue = self.stream(stream)?.queue();
        Ok((queue.handle.as_raw(), Some(queue.family)))
    }

    fn lost(&self, _: bool) -> Option<Status> {
        NativeDevice::lost(self)
    }

    fn retire(&self, used: bool) {
        let device = self.clone();
        let after_work = move || {
            // Destroyed streams' work continues, and no caller waits for it. Open batches are taken back.
            for stream in device.all_streams() {
                stream.give_up(true);
                // An error leaves nothing to wait for.
                let _ = stream.timeline.block(stream.given(), None);
            }
            // An error is exit, which leaves all to the driver.
            let _ = device.end(used);
        };
        if !self.made.wrapped {
            // The driver may have registered exit handlers since the device was made: gevt's runs before them.
            let _ = watch_exit();
        }
        if self.made.wrapped || !start_thread("gevt-vulkan", after_work) {
            // As above.
            let _ = self.end(used);
        }
    }
}
