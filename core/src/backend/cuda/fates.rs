//! How the gates that a stream waits for were opened. A stream of the driver's goes on behind a gate that was opened with a failure; what
//! was recorded there fails all the same.
//!
//! The streams of a context share the driver's queues, and which streams share one is not known. A queue of an H200's holds 1,021 pieces of
//! work, and a call that finds it full blocks until one is done: behind a closed gate that may be for ever. So a context has a bound on the
//! gates that stand in its queues.

use crate::backend::gate::Opening;
use crate::collect::try_collect;
use crate::error::{Error, Result};
use crate::status::Status;
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// How many gates stand in the queues of a context: the header names the number, at gevt_stream_wait.
const MOST: usize = 512;

/// So few streams are listed before those that have passed their gates are struck out.
const FEW: usize = 64;

/// A gate that a stream waits for.
pub(super) struct Fate {
    /// 0 while the gate is closed; then [`OPENED`], or [`FAILED`] with the status above it.
    word: AtomicU64,
}

const OPENED: u64 = 1;
const FAILED: u64 = 2;

impl Fate {
    /// Notes how the gate is about to be opened. A refused wait counts for nothing.
    pub(super) fn set(&self, opening: Opening) {
        let word = match opening.status() {
            Status::SUCCESS => OPENED,
            status => u64::from(status.0.cast_unsigned()) << 32 | FAILED,
        };
        self.word.store(word, Ordering::Release);
    }

    fn is_open(&self) -> bool {
        self.word.load(Ordering::Acquire) != 0
    }

    fn is_success(&self) -> bool {
        self.word.load(Ordering::Acquire) == OPENED
    }

    fn failure(&self) -> Option<Status> {
        let word = self.word.load(Ordering::Acquire);
        (word & FAILED != 0).then(|| Status(((word >> 32) as u32).cast_signed()))
    }
}

/// The gates that something stands behind, but for those that were opened without a failure.
pub(super) type Fates = Arc<Vec<Arc<Fate>>>;

/// The first failure among them.
fn failure(fates: &Fates) -> Option<Status> {
    fates.iter().find_map(|fate| fate.failure())
}

/// The gates that a stream stands behind.
#[derive(Default)]
struct GatedStream {
    fates: Fates,
    /// Those in the stream's own queue that it has not passed, in its order.
    queued: VecDeque<Arc<Fate>>,
}

impl GatedStream {
    fn prune(&mut self) {
        if self.fates.iter().any(|fate| fate.is_success()) {
            Arc::make_mut(&mut self.fates).retain(|fate| !fate.is_success());
        }
        while self.queued.front().is_some_and(|fate| fate.is_open()) {
            self.queued.pop_front();
        }
    }

    fn push(&mut self, fate: &Arc<Fate>) -> Result<()> {
        let fates = Arc::make_mut(&mut self.fates);
        fates.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        fates.push(fate.clone());
        Ok(())
    }
}

#[derive(Default)]
struct Streams {
    gated: BTreeMap<u64, GatedStream>,
    /// How many gates stand in the queues at most.
    queued: usize,
    /// Gates in the queues of streams that have ended.
    left: Vec<Arc<Fate>>,
    /// How many may be listed before those that have passed all their gates are struck out.
    crowded: usize,
}

impl Streams {
    /// Returns whether the queues have no room for another gate.
    fn is_full(&mut self) -> bool {
        if self.queued >= MOST {
            self.left.retain(|fate| !fate.is_open());
            self.gated.values_mut().for_each(GatedStream::prune);
            self.queued = self.left.len() + self.gated.values().map(|gated| gated.queued.len()).sum::<usize>();
        }
        self.queued >= MOST
    }

    /// Makes sure that streams which are given nothing more do not stay listed: each listing pays for its part.
    fn strike_out(&mut self) {
        if self.gated.len() > self.crowded {
            self.gated.values_mut().for_each(GatedStream::prune);
            self.gated.retain(|_, gated| !gated.fates.is_empty() || !gated.queued.is_empty());
            self.crowded = (2 * self.gated.len()).max(FEW);
        }
    }
}

/// The gates that each stream of a context stands behind.
#[derive(Default)]
pub(super) struct StreamFates {
    /// The streams that are listed.
    listed: AtomicUsize,
    streams: Mutex<Streams>,
}

impl StreamFates {
    /// Returns whether no stream of the context stands behind a gate.
    #[inline]
    pub(super) fn are_none(&self) -> bool {
        self.listed.load(Ordering::Relaxed) == 0
    }

    /// Forgets all: the context has been given back, and is used again.
    pub(super) fn clear(&self) {
        let mut streams = self.streams.lock();
        *streams = Streams::default();
        self.listed.store(0, Ordering::Relaxed);
    }

    /// The stream is to stand behind one more gate; an error if the queues have no room.
    pub(super) fn new_fate(&self, stream: u64) -> Result<Arc<Fate>> {
        let mut streams = self.streams.lock();
        streams.strike_out();
        if streams.is_full() {
            return Err(Error::QueueFull);
        }
        let gated = streams.gated.entry(stream).or_default();
        gated.prune();
        gated.queued.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        let fate = Arc::new(Fate { word: AtomicU64::new(0) });
        gated.push(&fate)?;
        gated.queued.push_back(fate.clone());
        streams.queued += 1;
        self.listed.store(streams.gated.len(), Ordering::Relaxed);
        Ok(fate)
    }

    /// The driver has refused the gate of that fate. A record that was made meanwhile may have it.
    pub(super) fn withdraw(&self, stream: u64, fate: &Arc<Fate>) {
        fate.set(Opening::Refused);
        if let Some(gated) = self.streams.lock().gated.get_mut(&stream) {
            gated.queued.retain(|queued| !Arc::ptr_eq(queued, fate));
        }
    }

    /// The stream stands behind what these gates belong to.
    pub(super) fn add(&self, stream: u64, more: &[Arc<Fate>]) -> Result<()> {
        let mut streams = self.streams.lock();
        streams.strike_out();
        let gated = streams.gated.entry(stream).or_default();
        gated.prune();
        for fate in more {
            if !gated.fates.iter().any(|known| Arc::ptr_eq(known, fate)) {
                gated.push(fate)?;
            }
        }
        self.listed.store(streams.gated.len(), Ordering::Relaxed);
        Ok(())
    }

    /// The gates that what the stream is given now stands behind; `None` if all are open without a failure.
    pub(super) fn of(&self, stream: u64) -> Option<Fates> {
        let mut streams = self.streams.lock();
        let gated = streams.gated.get_mut(&stream)?;
        gated.prune();
        let now = Some(gated.fates.clone()).filter(|fates| !fates.is_empty());
        if now.is_none() {
            streams.gated.remove(&stream);
            self.listed.store(streams.gated.len(), Ordering::Relaxed);
        }
        now
    }

    /// Refuses a stream that is done, and stands behind a gate that failed.
    pub(super) fn check(&self, stream: u64) -> Result<()> {
        self.of(stream).and_then(|fates| failure(&fates)).map_or(Ok(()), |status| Err(Error::EventFailed(status)))
    }

    /// As [`StreamFates::check`], and what the stream is given from now on is sound again.
    pub(super) fn take_failure(&self, stream: u64) -> Result<()> {
        let failed = self.check(stream);
        if failed.is_err()
            && let Some(gated) = self.streams.lock().gated.get_mut(&stream)
        {
            Arc::make_mut(&mut gated.fates).retain(|fate| fate.failure().is_none());
        }
        failed
    }

    /// As [`StreamFates::take_failure`], of all streams.
    pub(super) fn take_failures(&self) -> Result<()> {
        let streams = try_collect(self.streams.lock().gated.keys().map(|stream| Ok(*stream)))?;
        // All are taken, and the first is returned.
        streams
            .into_iter()
            .filter_map(|stream| self.take_failure(stream).err())
            .reduce(|first, _| first)
            .map_or(Ok(()), Err)
    }

    /// The stream has ended. What it was given is still done.
    pub(super) fn forget(&self, stream: u64) {
        let mut streams = self.streams.lock();
        if let Some(gated) = streams.gated.remove(&stream) {
            streams.left.extend(gated.queued.into_iter().filter(|fate| !fate.is_open()));
            self.listed.store(streams.gated.len(), Ordering::Relaxed);
        }
    }
}

/// What a record stands behind. It is never freed, as a mark may be older than the record.
#[derive(Default)]
pub(super) struct Behind(Mutex<Option<Fates>>);

static FREE: Mutex<Vec<&'static Behind>> = Mutex::new(Vec::new());

impl Behind {
    pub(super) fn take() -> &'static Behind {
        FREE.lock().pop().unwrap_or_else(|| Box::leak(Box::default()))
    }

    pub(super) fn put(&'static self) {
        self.set(None);
        FREE.lock().push(self);
    }

    pub(super) fn set(&self, fates: Option<Fates>) {
        *self.0.lock() = fates;
    }

    pub(super) fn fates(&self) -> Option<Fates> {
        self.0.lock().clone()
    }

    /// Refuses a record that is reached, and stands behind a gate that failed.
    pub(super) fn check(&self) -> Result<()> {
        let failed = self.0.lock().as_ref().and_then(failure);
        failed.map_or(Ok(()), |status| Err(Error::EventFailed(status)))
    }
}

#[cfg(test)]
#[path = "fates_tests.rs"]
mod tests;
