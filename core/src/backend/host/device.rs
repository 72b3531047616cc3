//! A virtual device: its streams, and the order between its default stream and the blocking ones.

use super::point::Point;
use super::stream::{HostStream, Role};
use super::work::Work;
use crate::backend::NativeStream;
use crate::backend::thread_streams::{self, Owner, PER_THREAD};
use crate::env::NumberVariable;
use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::probe::Place;
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

impl Owner for &'static HostDevice {
    fn close(&self, stream: NativeStream) {
        HostStream::of(stream).close();
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

    /// What a trace calls the device.
    pub(crate) fn traced(&self) -> Place {
        Place::Host { device: self.number }
    }

    pub(crate) fn default_stream(&'static self) -> Result<&'static HostStream> {
        self.default.get_or_try_init(|| HostStream::open(self, Role::Default).ok_or(Error::OutOfMemory)).copied()
    }

    /// The default stream, if it is there yet.
    pub(super) fn default_if_made(&self) -> Option<&'static HostStream> {
        self.default.get().copied()
    }

    pub(crate) fn open(&'static self, blocking: bool) -> Result<&'static HostStream> {
        let mut streams = self.streams.lock();
        streams.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        let role = if blocking { Role::Blocking } else { Role::NonBlocking };
        let stream = HostStream::open(self, role).ok_or(Error::OutOfMemory)?;
        stream.place().store(streams.len(), Ordering::Relaxed);
        streams.push(stream);
        Ok(stream)
    }

    /// Told by a destroyed stream that its work is done.
    pub(crate) fn stream_ended(&self, stream: &HostStream) {
        let mut streams = self.streams.lock();
        let place = stream.place().load(Ordering::Relaxed);
        // The default stream is not listed.
        if streams.get(place).is_some_and(|known| std::ptr::eq(*known, stream)) {
            streams.swap_remove(place);
            if let Some(moved) = streams.get(place) {
                moved.place().store(place, Ordering::Relaxed);
            }
        }
    }

    /// The stream that a token names for the calling thread.
    #[inline]
    pub(crate) fn resolve(&'static self, token: NativeStream) -> Result<&'static HostStream> {
        if token == PER_THREAD { self.stream_of_thread() } else { Ok(HostStream::of(token)) }
    }

    #[cold]
    fn stream_of_thread(&'static self) -> Result<&'static HostStream> {
        let open = || Ok((self.open(true)?.token(), self));
        thread_streams::get(std::ptr::from_ref(self).addr(), open).map(HostStream::of)
    }

    /// Told by a blocking stream that it has work.
    pub(crate) fn stream_started(&self) {
        self.busy.fetch_add(1, Ordering::SeqCst);
    }

    /// Told by a blocking stream that it has no work.
    pub(crate) fn stream_stopped(&self) {
        self.busy.fetch_sub(1, Ordering::SeqCst);
    }

    #[cfg(all(test, loom))]
    pub(super) fn busy(&self) -> u32 {
        self.busy.load(Ordering::SeqCst)
    }

    /// Returns whether the stream has nothing to do and nothing to wait for, and all is well with it.
    pub(crate) fn is_idle(&'static self, stream: &'static HostStream) -> bool {
        stream.failing().is_none()
            && self.is_done(stream)
            && (!matches!(stream.role(), Role::Blocking) || self.default_is_done())
    }

    fn default_is_done(&self) -> bool {
        self.default.get().is_none_or(|default| default.end().is_reached())
    }

    /// Returns how much the stream has been given, where that alone says when all of it is done: `None` if work that it is given now
    /// stands behind another stream's, or if the stream has ever failed.
    pub(super) fn own_end(&'static self, stream: &'static HostStream) -> Option<u64> {
        let is_alone = match stream.role() {
            Role::Default => self.busy.load(Ordering::SeqCst) == 0,
            Role::Blocking => self.default_is_done(),
            Role::NonBlocking => true,
        };
        // Read before: what was given while the stream had never failed is not forgotten.
        let position = stream.end().position;
        (is_alone && !stream.has_ever_failed()).then_some(position)
    }

    /// Gives work to a stream, behind what the default stream's order makes it wait for; see [`HostStream::submit`].
    #[inline(always)]
    pub(super) fn submit(
        &'static self,
        stream: &'static HostStream,
        work: Work,
        lives: impl Fn() -> bool,
    ) -> Result<u64> {
        match stream.role() {
            Role::Default if self.busy.load(Ordering::SeqCst) > 0 => {
                stream.submit(self.blocking_ends()?.into_iter(), work, lives)
            }
            Role::Blocking => {
                let behind = self.default.get().and_then(|default| default.pending_end());
                stream.submit(behind.into_iter(), work, lives)
            }
            Role::Default | Role::NonBlocking => stream.submit(std::iter::empty(), work, lives),
        }
    }

    /// Returns whether no blocking stream has work.
    fn blocking_are_done(&'static self) -> bool {
        let has_work =
            |stream: &&'static HostStream| matches!(stream.role(), Role::Blocking) && !stream.end().is_reached();
        self.busy.load(Ordering::SeqCst) == 0 || !self.streams.lock().iter().any(has_work)
    }

    /// Returns the ends of the blocking streams that have work.
    fn blocking_ends(&'static self) -> Result<Vec<Point>> {
        let streams = self.streams.lock();
        let blocking = streams.iter().filter(|stream| matches!(stream.role(), Role::Blocking));
        // For a record there may be no memory.
        let mut ends = Vec::new();
        ends.try_reserve(streams.len()).map_err(|_| Error::OutOfMemory)?;
        ends.extend(blocking.filter_map(|stream| stream.pending_end()));
        Ok(ends)
    }

    /// Returns what has to be reached before the stream has done all that it was given, and all that it stands behind.
    pub(crate) fn ends_before(&'static self, stream: &'static HostStream) -> Result<impl Iterator<Item = Point>> {
        let others = match stream.role() {
            Role::Default => self.blocking_ends()?,
            Role::Blocking | Role::NonBlocking => Vec::new(),
        };
        Ok(stream.pending_end().into_iter().chain(others))
    }

    /// Returns whether the stream has done all that it was given, and all that it stands behind is done.
    pub(crate) fn is_done(&'static self, stream: &'static HostStream) -> bool {
        stream.end().is_reached() && (!matches!(stream.role(), Role::Default) || self.blocking_are_done())
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
        all.map(HostStream::end).filter(|end| !end.is_reached() || end.stream.failing().is_some()).collect()
    }
}

#[cfg(all(test, not(loom)))]
#[path = "device_tests.rs"]
mod tests;
