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
mod end;
mod exit;
mod functions;
mod identity;
mod loader;
mod open;
mod queue;
mod stamp;
mod stream;
mod submit;
mod submit_lists;
#[cfg(test)]
mod tests;
mod timeline;
mod times;
mod watcher;
mod wrap;

pub use submit::{Batch, Point};
pub(crate) use submit::{begin, cancel, check_wait, end, point, ticks, wait_in, write_time};
pub use wrap::{DeviceInfo, QueueInfo};

use super::deadlock::{Dependency, check_all};
use super::thread_streams::{self, Owner, PER_THREAD};
use super::{
    Backend, BackendKind, Cell, HostFn, Identity, IpcHandle, Left, ManyTimes, Mark, NativeStream, Properties, Provider,
    RecordMode, Recorded, StreamRef,
};
use crate::error::{Error, Result};
use crate::lifecycle::watch_exit;
use crate::point::{Opener, pause};
use crate::probe::{self, NATIVE_STREAMS, Place, StreamId};
use crate::status::Status;
use crate::workers::{Parker, Waiter, start_thread};
use cell::{VulkanCell, VulkanMark};
use device::{DeviceUse, Vulkan, part};
use queue::Queue;
use stamp::Ticks;
use std::sync::atomic::Ordering;
use std::time::Instant;
use stream::VulkanStream;
use timeline::TimelineRef;
use times::difference;

/// GEVT_BACKEND_VULKAN.
const VULKAN: BackendKind = BackendKind(3);

/// The creation flag of events without timing.
const DISABLE_TIMING: u32 = 2;

const NO_NATIVE: Error = Error::Unsupported("Vulkan events have no native object; gevt_vulkan_point gives their point");
const NO_EVENTS: Error =
    Error::Unsupported("Vulkan has no events to wrap; gevt_vulkan_wrap_point takes a timeline semaphore");
const NO_IPC: Error = Error::Unsupported("Vulkan events cannot be shared between processes");
const NO_QUEUE: Error = Error::Unsupported("the context has no queue that gevt may submit to: wrap one first");

/// Vulkan's devices.
pub(crate) struct VulkanProvider;

impl Provider for VulkanProvider {
    fn kind(&self) -> BackendKind {
        VULKAN
    }

    fn name(&self) -> &'static str {
        "vulkan"
    }

    fn title(&self) -> &'static str {
        "Vulkan"
    }

    fn device_count(&self) -> Result<i32> {
        loader::devices().map(|devices| devices.len() as i32)
    }

    fn open(&self, device: i32) -> Result<Box<dyn Backend>> {
        Ok(Box::new(open::open(device)?))
    }

    unsafe fn wrap(&self, _: u64) -> Result<Box<dyn Backend>> {
        Err(Error::Unsupported("a VkDevice is wrapped by gevt_vulkan_wrap_device"))
    }
}

impl Vulkan {
    /// The stream of a token; the calling thread's own is made when it is first asked for.
    #[inline]
    fn stream(&self, token: NativeStream) -> Result<&'static VulkanStream> {
        let open = || Ok((VulkanStream::open(self.next_queue()?, false, false)?.token(), self.used()));
        let token =
            if token == PER_THREAD { thread_streams::get(std::ptr::from_ref(self).addr(), open)? } else { token };
        Ok(VulkanStream::of(token))
    }

    /// A queue that gevt may submit to, in turn.
    fn next_queue(&self) -> Result<&'static Queue> {
        let queues = self.queues.lock();
        let usable: Vec<_> = queues.iter().map(part).filter(|queue| queue.can_lock()).collect();
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        usable.get(turn % usable.len().max(1)).copied().ok_or(NO_QUEUE)
    }

    fn place(&self) -> Place {
        Place::Vulkan { device: self.number, context: self.serial }
    }

    /// The stream's name in traces.
    fn traced_stream(&self, stream: &'static VulkanStream) -> StreamId {
        let is_default = self.default.get().is_some_and(|default| std::ptr::eq(*default, stream));
        StreamId { place: self.place(), native: stream.token().0, is_default }
    }

    /// The timestamp of the event's present record; `None` while that is pending or being made.
    fn stamp_of(&self, cell: &Cell) -> Result<Option<Ticks>> {
        let mut mark = VulkanCell::of(cell).mark();
        loop {
            let stamp = VulkanMark::of(mark).ok_or(Error::NoTime)?.stamp(self, 0);
            let now = VulkanCell::of(cell).mark();
            if now == mark {
                return stamp;
            }
            // Another thread has recorded the event again.
            mark = now;
        }
    }

    fn elapsed_between(&self, start: Ticks, end: Ticks) -> i64 {
        let ns = difference(start, end) as f64 * self.period;
        // Rounded: `round` is a call.
        (ns + 0.5_f64.copysign(ns)) as i64
    }
}

/// Blocks until the stream has finished the work submitted before the call, or until the deadline.
fn sync_until(stream: &'static VulkanStream, deadline: Option<Instant>) -> Result<bool> {
    check_all([stream.timeline.dependency(stream.given())], deadline)?;
    let done = stream.timeline.block(stream.given(), true, deadline)? && stream.block_for_waits(deadline)?;
    if done { stream.timeline.spans.end(|| stream.given()).map_or(Ok(true), Err) } else { Ok(false) }
}

impl Owner for DeviceUse {
    fn close(&self, stream: NativeStream) {
        VulkanStream::of(stream).close(false);
    }

    fn has_ended(&self) -> bool {
        self.calls.has_ended()
    }
}

impl Backend for DeviceUse {
    fn properties(&self) -> Properties {
        use ash::vk::Handle;
        let (native, ends_with_handles) = (Some(self.handle.as_raw()), self.made.wrapped);
        Properties { native, ends_with_handles, pause: Some(pause), ..Properties::new(VULKAN, self.number) }
    }

    fn create_stream(&self, _: bool) -> Result<NativeStream> {
        VulkanStream::open(self.next_queue()?, false, false).map(VulkanStream::token)
    }

    unsafe fn wrap_stream(&self, native: u64) -> Result<NativeStream> {
        match native {
            0 | 1 => self.default_stream(),
            2 => Ok(PER_THREAD),
            _ => Err(Error::Unsupported("a VkQueue is wrapped by gevt_vulkan_wrap_queue")),
        }
    }

    fn default_stream(&self) -> Result<NativeStream> {
        let open = || VulkanStream::open(self.next_queue()?, false, false);
        self.default.get_or_try_init(open).map(|stream| stream.token())
    }

    fn destroy_stream(&self, stream: NativeStream) {
        // One of `create_stream` or of a wrapped queue.
        VulkanStream::of(stream).close(true);
    }

    fn end_handle(&self, stream: NativeStream) {
        VulkanStream::of(stream).give_up(true);
    }

    fn query_stream(&self, stream: NativeStream) -> Result<bool> {
        let stream = self.stream(stream)?;
        let done = stream.is_done()?;
        stream.timeline.spans.open().filter(|_| done).map_or(Ok(done), Err)
    }

    fn sync_stream(&self, stream: NativeStream, deadline: Option<Instant>) -> Result<bool> {
        let stream = self.stream(stream)?;
        if self.made.wrapped {
            stream.mark_end()?;
        }
        sync_until(stream, deadline)
    }

    fn sync(&self, deadline: Option<Instant>) -> Result<bool> {
        let streams: Vec<_> = self.used.lock().values().copied().collect();
        check_all(streams.iter().map(|stream| stream.timeline.dependency(stream.given())), deadline)?;
        let mut failed = Ok(true);
        for stream in streams {
            drop(stream.flush()?);
            let synced = sync_until(stream, deadline);
            stream.leave(&mut stream.state.lock());
            match synced {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                // Wait for all of them, then return the first failure.
                Err(error @ Error::EventFailed(_)) => failed = failed.and(Err(error)),
                Err(error) => return Err(error),
            }
        }
        failed
    }

    fn launch(&self, stream: StreamRef<'_>, function: HostFn) -> Result<()> {
        probe::release(&NATIVE_STREAMS);
        self.stream(stream.native)?.launch(function)
    }

    fn wait(&self, stream: StreamRef<'_>, mark: Mark, _: bool) -> Result<()> {
        submit::wait(self.get(), stream.native, mark, None)
    }

    fn gate(&self, stream: NativeStream) -> Result<Opener> {
        self.stream(stream)?.gate()
    }

    fn record(&self, stream: StreamRef<'_>, cell: &'static Cell, mode: RecordMode) -> Result<Recorded> {
        if mode.interprocess {
            return Err(NO_IPC);
        }
        probe::release_native_record(cell);
        let timed = mode.flags & DISABLE_TIMING == 0;
        self.stream(stream.native)?.record(VulkanCell::of(cell), timed)?;
        Ok(Recorded::Pending)
    }

    #[inline]
    fn mark(&self, cell: &Cell) -> Mark {
        VulkanCell::of(cell).mark()
    }

    fn hold(&self, cell: &Cell) -> Mark {
        VulkanCell::of(cell).mark()
    }

    fn unhold(&self, _: &Cell, _: Mark) {}

    #[inline]
    fn reached(&self, mark: Mark) -> Result<bool> {
        VulkanMark::of(mark).map_or(Ok(true), VulkanMark::reached)
    }

    fn block(&self, mark: Mark, spin: bool, deadline: Option<Instant>) -> Result<bool> {
        let Some(mark) = VulkanMark::of(mark) else { return Ok(true) };
        check_all([mark.dependency()], deadline)?;
        timeline::check_submit(mark.timeline, mark.value)?;
        let done = mark.timeline.block(mark.value, spin, deadline)?;
        if done {
            timeline::check_reached(mark.timeline, mark.value)?;
        }
        Ok(done)
    }

    fn dependency(&self, mark: Mark) -> Option<Dependency> {
        VulkanMark::of(mark).map(VulkanMark::dependency)
    }

    fn notify(&self, mark: Mark, waiter: Waiter) -> Result<Option<Waiter>> {
        match VulkanMark::of(mark) {
            Some(mark) if !mark.reached()? => {
                Vulkan::notify(self.get(), TimelineRef::new(mark.timeline), mark.value, waiter).map(|()| None)
            }
            _ => Ok(Some(waiter)),
        }
    }

    fn forget(&self, mark: Mark, parker: &Parker) {
        if let Some(mark) = VulkanMark::of(mark) {
            Vulkan::forget(self, mark.timeline, mark.value, parker);
        }
    }

    fn traced(&self, stream: NativeStream) -> StreamId {
        match self.stream(stream) {
            Ok(stream) => self.traced_stream(stream),
            Err(_) => StreamId { place: self.place(), native: 0, is_default: false },
        }
    }

    fn host_time(&self, mark: Mark) -> Result<Option<(i64, u64)>> {
        let stamp = VulkanMark::of(mark).ok_or(Error::NoTime)?.stamp(self, 0)?.ok_or(Error::NoTime)?;
        self.clock.time(self, stamp, self.place()).map(Some)
    }

    fn calibrate(&self) -> Result<()> {
        self.clock.compare(self, self.place()).map(drop)
    }

    fn elapsed(&self, start: &Cell, end: &Cell) -> Result<Option<i64>> {
        let Some(start) = self.stamp_of(start)? else { return Ok(None) };
        let Some(end) = self.stamp_of(end)? else { return Ok(None) };
        Ok(Some(self.elapsed_between(start, end)))
    }

    fn many_times(&self) -> Option<&dyn ManyTimes> {
        Some(self.get())
    }

    fn release(&self, cell: &Cell, _: u32, _: Left) {
        stream::release(self.get(), cell);
    }

    fn give_native(&self, _: &Cell, _: u32) -> Result<u64> {
        Err(NO_NATIVE)
    }

    unsafe fn wrap_event(&self, _: &Cell, _: u64, _: u32) -> Result<()> {
        Err(NO_EVENTS)
    }

    fn export(&self, _: &Cell, _: u32) -> Result<IpcHandle> {
        Err(NO_IPC)
    }

    fn import(&self, _: &Cell, _: &IpcHandle) -> Result<()> {
        Err(NO_IPC)
    }

    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn native_stream(&self, stream: NativeStream) -> Result<(u64, Option<u32>)> {
        use ash::vk::Handle;
        let queue = self.stream(stream)?.queue();
        Ok((queue.handle.as_raw(), Some(queue.family)))
    }

    fn is_native(&self, native: u64) -> bool {
        self.made.wrapped && self.properties().native == Some(native) && !self.calls.has_ended()
    }

    fn forbid(&self, used: bool) {
        self.begin_end(used);
    }

    fn check_alive(&self) -> Result<()> {
        self.check_lost()
    }

    fn lost(&self) -> Option<Status> {
        Vulkan::lost(self)
    }

    fn retire(&self) -> bool {
        let end = |device: &Vulkan| {
            device.begin_end(false);
            // An error is exit, which leaves all to the driver.
            let _ = device.finish_end();
        };
        let device = self.clone();
        // Destroyed streams' work continues, and no caller waits for it.
        let after_work = move || {
            device.all_streams().into_iter().for_each(VulkanStream::finish);
            end(&device);
        };
        if !self.made.wrapped {
            // The driver may have registered exit handlers since the device was made: gevt's runs before them.
            let _ = watch_exit();
        }
        if self.made.wrapped || !start_thread("gevt-vulkan", after_work) {
            end(self);
        }
        false
    }
}

impl ManyTimes for Vulkan {
    #[inline]
    fn elapsed(&self, [start, end]: [Mark; 2], ahead: usize) -> Option<i64> {
        let stamp = |mark| {
            let mark = VulkanMark::of(mark)?;
            mark.known_stamp().or_else(|| mark.stamp(self, ahead).ok()?)
        };
        Some(self.elapsed_between(stamp(start)?, stamp(end)?))
    }
}
