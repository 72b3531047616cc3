//! A virtual device: its streams, and the order between its default stream and the blocking ones.

use super::free_list::FreeList;
use super::point::Point;
use super::stream::HostStream;
use super::timeline::Role;
use super::work::Work;
use crate::backend::thread_streams::{self, Owner};
use crate::backend::{NativeStream, StreamRef};
use crate::env::NumberVariable;
use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::workers;
use once_cell::sync::OnceCell;
use std::sync::atomic::{AtomicU32, Ordering};

/// The greatest number of virtual devices.
const MAX_DEVICES: usize = 64;
static SETTING: NumberVariable =
    NumberVariable::new("GEVT_HOST_DEVICES", MAX_DEVICES, |number| number.unwrap_or(1).clamp(1, MAX_DEVICES));

/// A virtual device.
pub(crate) struct HostDevice {
    pub(crate) number: i32,
    default: OnceCell<&'static HostStream>,
    /// Its streams but for the default one, until they are destroyed and done.
    streams: Mutex<Vec<&'static HostStream>>,
    /// How many blocking streams have work.
    busy: AtomicU32,
}

/// The devices; their number is that of GEVT_HOST_DEVICES when the first one is asked for.
pub(crate) fn devices() -> &'static [HostDevice] {
    static DEVICES: OnceCell<Vec<HostDevice>> = OnceCell::new();
    DEVICES.get_or_init(|| (0..SETTING.get()).map(|number| HostDevice::new(number as i32)).collect())
}

/// Logs, once, that GEVT_HOST_DEVICES is not what can be had. The calling thread holds no lock.
pub(crate) fn check_setting() {
    SETTING.check();
}

/// Streams that are not in use.
static FREE: FreeList<HostStream> = FreeList::new();

impl Owner for &'static HostStream {
    fn close(&self) {
        HostDevice::close(self);
    }

    fn has_ended(&self) -> bool {
        false
    }
}

impl HostDevice {
    /// A device of that number, with streams and an order of its own.
    pub(crate) fn new(number: i32) -> HostDevice {
        HostDevice { number, default: OnceCell::new(), streams: Mutex::default(), busy: AtomicU32::new(0) }
    }

    /// The device of a stream.
    pub(super) fn of(stream: &HostStream) -> &'static HostDevice {
        // SAFETY: `take` alone sets the address, of a device that lives as long as the process.
        unsafe { &*stream.timeline.device().cast() }
    }

    pub(super) fn default_stream(&'static self) -> Result<&'static HostStream> {
        self.default.get_or_try_init(|| self.take(Role::Default)).copied()
    }

    fn take(&'static self, role: Role) -> Result<&'static HostStream> {
        let stream = FREE.take(|| workers::get().reserve()).ok_or(Error::OutOfMemory)?;
        stream.timeline.begin(role, self.number, std::ptr::from_ref(self).cast());
        stream.take_failure();
        Ok(stream)
    }

    pub(crate) fn open(&'static self, blocking: bool) -> Result<&'static HostStream> {
        let mut streams = self.streams.lock();
        streams.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        let role = if blocking { Role::Blocking } else { Role::NonBlocking };
        let stream = self.take(role)?;
        stream.place.store(streams.len(), Ordering::Relaxed);
        streams.push(stream);
        Ok(stream)
    }

    /// Ends a stream's service once its work is done.
    pub(super) fn close(stream: &'static HostStream) {
        if let Some(over) = stream.queue.end() {
            HostDevice::free(stream, over);
        }
    }

    /// Makes a stream, which was ended and is idle, free for another. It is over at that position.
    pub(super) fn free(stream: &'static HostStream, over: u64) {
        stream.queue.free_batch();
        stream.complete(over);
        let mut streams = HostDevice::of(stream).streams.lock();
        let place = stream.place.load(Ordering::Relaxed);
        // A default stream is not in the list.
        if streams.get(place).is_some_and(|known| std::ptr::eq(*known, stream)) {
            streams.swap_remove(place);
            streams.get(place).inspect(|moved| moved.place.store(place, Ordering::Relaxed));
        }
        drop(streams);
        FREE.put(stream);
    }

    /// The stream that a token names for the calling thread.
    #[inline]
    pub(crate) fn resolve(&'static self, token: NativeStream) -> Result<&'static HostStream> {
        let token = if token.0 <= NativeStream::PER_THREAD.0 { self.resolve_named(token)? } else { token };
        // SAFETY: of a stream that a backend was passed, or of one that `resolve_named` has found. The host's backend has made both.
        Ok(unsafe { HostStream::of(token) })
    }

    #[cold]
    fn resolve_named(&'static self, token: NativeStream) -> Result<NativeStream> {
        if token == NativeStream::DEFAULT {
            return self.default_stream().map(HostStream::token);
        }
        thread_streams::get(std::ptr::from_ref(self).addr(), || self.open(true).map(|stream| (stream.token(), stream)))
    }

    /// Told by a blocking stream that it has work.
    pub(super) fn stream_started(&self) {
        self.busy.fetch_add(1, Ordering::SeqCst);
    }

    /// Told by a blocking stream that it has no work.
    pub(super) fn stream_stopped(&self) {
        self.busy.fetch_sub(1, Ordering::SeqCst);
    }

    #[cfg(all(test, loom))]
    pub(super) fn busy(&self) -> u32 {
        self.busy.load(Ordering::SeqCst)
    }

    /// Returns whether the stream has nothing to do and nothing to wait for, and all is well with it.
    pub(crate) fn is_idle(&'static self, stream: &'static HostStream) -> bool {
        // In this order: a wait fails before it is done.
        self.is_done(stream)
            && stream.timeline.failures.open().is_none()
            && (stream.timeline.role() != Role::Blocking || self.default_is_done())
    }

    fn default_is_done(&self) -> bool {
        self.default.get().is_none_or(|default| default.end().is_reached())
    }

    /// Returns how much the stream has been given, where that alone says when all of it is done: `None` if work that it is given now
    /// stands behind another stream's, or if the stream has ever failed.
    pub(super) fn own_end(&'static self, stream: &'static HostStream) -> Option<u64> {
        let is_alone = match stream.timeline.role() {
            Role::Default => self.busy.load(Ordering::SeqCst) == 0,
            Role::Blocking => self.default_is_done(),
            _ => true,
        };
        // Read before: what was given while the stream had never failed is not forgotten.
        let position = stream.end().position;
        (is_alone && !stream.timeline.failures.ever_began()).then_some(position)
    }

    /// Gives work to a stream, behind what the default stream's order makes it wait for, if the handle of the stream `to` lasts.
    #[inline(always)]
    pub(super) fn submit(&'static self, stream: &'static HostStream, work: Work, to: &StreamRef<'_>) -> Result<u64> {
        if !workers::get().is_staffed() {
            return Err(Error::OutOfMemory);
        }
        let lives = || to.lasts();
        match stream.timeline.role() {
            Role::Default if self.busy.load(Ordering::SeqCst) > 0 => {
                stream.submit(self.blocking_ends()?.into_iter(), work, lives, || {})
            }
            Role::Blocking => {
                let behind = self.default.get().and_then(|default| default.pending_end());
                stream.submit(behind.into_iter(), work, lives, || self.stream_started())
            }
            _ => stream.submit(std::iter::empty(), work, lives, || {}),
        }
    }

    /// Returns whether no blocking stream has work.
    fn blocking_are_done(&'static self) -> bool {
        let has_work =
            |stream: &&'static HostStream| stream.timeline.role() == Role::Blocking && !stream.end().is_reached();
        self.busy.load(Ordering::SeqCst) == 0 || !self.streams.lock().iter().any(has_work)
    }

    /// Returns the ends of the blocking streams that have work.
    fn blocking_ends(&'static self) -> Result<Vec<Point>> {
        let streams = self.streams.lock();
        let blocking = streams.iter().filter(|stream| stream.timeline.role() == Role::Blocking);
        // For a record there may be no memory.
        let mut ends = Vec::new();
        ends.try_reserve(streams.len()).map_err(|_| Error::OutOfMemory)?;
        ends.extend(blocking.filter_map(|stream| stream.pending_end()));
        Ok(ends)
    }

    /// Returns what has to be reached before the stream has done all that it was given, and all that it stands behind.
    pub(crate) fn ends_before(&'static self, stream: &'static HostStream) -> Result<impl Iterator<Item = Point>> {
        let others = if stream.timeline.role() == Role::Default { self.blocking_ends()? } else { Vec::new() };
        Ok(stream.pending_end().into_iter().chain(others))
    }

    /// Returns whether the stream has done all that it was given, and all that it stands behind is done.
    pub(crate) fn is_done(&'static self, stream: &'static HostStream) -> bool {
        stream.end().is_reached() && (stream.timeline.role() != Role::Default || self.blocking_are_done())
    }

    /// Tells why a stream is failing, if one is, and lets what the streams are given from now on be sound again.
    pub(crate) fn take_failures(&'static self) -> Option<Error> {
        let streams = self.streams.lock();
        let all = streams.iter().copied().chain(self.default.get().copied());
        all.filter_map(HostStream::take_failure).reduce(|first, _| first)
    }

    /// Returns the ends of all streams that have work, or that are failing.
    pub(crate) fn ends(&'static self) -> Vec<Point> {
        let streams = self.streams.lock();
        let all = streams.iter().copied().chain(self.default.get().copied());
        all.map(HostStream::end).filter(|end| !end.is_reached() || end.timeline.failures.open().is_some()).collect()
    }
}

#[cfg(all(test, not(loom)))]
#[path = "device_tests.rs"]
mod tests;
