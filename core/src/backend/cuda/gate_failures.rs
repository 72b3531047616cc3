//! Failures of gates on CUDA streams. A CUDA stream cannot fail: it continues after a gate that was opened with a failure. So gevt notes which
//! gates precede each record, and reports their failure.
//!
//! The streams of a context share the driver's queues, and which streams share one is not known. A queue of an H200 holds 1,021 pieces of
//! work, and a call that finds it full blocks until one completes. Behind a closed gate that may be forever, so the gates in the queues of a
//! context are bounded.

use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::point::Opening;
use crate::status::Status;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The bound. The header names it, at gevt_stream_wait.
const MOST: usize = 512;

/// The least number of listed streams at which the list is pruned.
const FEW: usize = 64;

/// How a gate was opened.
pub(super) struct GateOutcome {
    /// 0 while the gate is closed; then [`OPENED`], or [`FAILED`] with the status above it.
    word: AtomicU64,
}

const OPENED: u64 = 1;
const FAILED: u64 = 2;

impl GateOutcome {
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

/// The gates that precede a record, or the end of a stream, without the ones that were opened without a failure.
pub(super) type GateOutcomes = Arc<Vec<Arc<GateOutcome>>>;

/// The first failure among them.
fn failure(outcomes: &GateOutcomes) -> Option<Status> {
    outcomes.iter().find_map(|outcome| outcome.failure())
}

/// The gates of a stream.
#[derive(Default)]
struct GatedStream {
    outcomes: GateOutcomes,
    /// The stream's own gates that it has not passed, in its order.
    queued: VecDeque<Arc<GateOutcome>>,
}

impl GatedStream {
    fn prune(&mut self) {
        if self.outcomes.iter().any(|outcome| outcome.is_success()) {
            Arc::make_mut(&mut self.outcomes).retain(|outcome| !outcome.is_success());
        }
        while self.queued.front().is_some_and(|outcome| outcome.is_open()) {
            self.queued.pop_front();
        }
    }

    fn push(&mut self, outcome: &Arc<GateOutcome>) -> Result<()> {
        let outcomes = Arc::make_mut(&mut self.outcomes);
        outcomes.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        outcomes.push(outcome.clone());
        Ok(())
    }
}

#[derive(Default)]
struct Streams {
    gated: BTreeMap<u64, GatedStream>,
    /// How many gates are in the queues at most.
    queued: usize,
    /// Gates in the queues of streams that have ended.
    left: Vec<Arc<GateOutcome>>,
    /// The list is pruned when it is longer than this.
    crowded: usize,
}

impl Streams {
    /// Returns whether the queues have no room for another gate.
    fn is_full(&mut self) -> bool {
        if self.queued >= MOST {
            self.left.retain(|outcome| !outcome.is_open());
            self.gated.values_mut().for_each(GatedStream::prune);
            self.queued = self.left.len() + self.gated.values().map(|gated| gated.queued.len()).sum::<usize>();
        }
        self.queued >= MOST
    }

    /// Removes the streams that have passed all their gates, when the list has doubled.
    fn prune(&mut self) {
        if self.gated.len() > self.crowded {
            self.gated.values_mut().for_each(GatedStream::prune);
            self.gated.retain(|_, gated| !gated.outcomes.is_empty() || !gated.queued.is_empty());
            self.crowded = (2 * self.gated.len()).max(FEW);
        }
    }
}

/// The gates of the streams of a context.
#[derive(Default)]
pub(super) struct StreamGates {
    /// How many streams are listed.
    listed: AtomicUsize,
    streams: Mutex<Streams>,
}

impl StreamGates {
    /// Returns whether no stream of the context has gates.
    #[inline]
    pub(super) fn are_none(&self) -> bool {
        self.listed.load(Ordering::Relaxed) == 0
    }

    /// Forgets everything: the retired context is reused.
    pub(super) fn clear(&self) {
        let mut streams = self.streams.lock();
        *streams = Streams::default();
        self.listed.store(0, Ordering::Relaxed);
    }

    /// Adds a gate to the stream; an error if the queues have no room.
    pub(super) fn add_gate(&self, stream: u64) -> Result<Arc<GateOutcome>> {
        let mut streams = self.streams.lock();
        streams.prune();
        if streams.is_full() {
            return Err(Error::QueueFull);
        }
        let gated = streams.gated.entry(stream).or_default();
        gated.prune();
        gated.queued.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        let outcome = Arc::new(GateOutcome { word: AtomicU64::new(0) });
        gated.push(&outcome)?;
        gated.queued.push_back(outcome.clone());
        streams.queued += 1;
        self.listed.store(streams.gated.len(), Ordering::Relaxed);
        Ok(outcome)
    }

    /// Removes a gate that the driver has refused. A record that was made meanwhile may refer to it.
    pub(super) fn withdraw(&self, stream: u64, outcome: &Arc<GateOutcome>) {
        outcome.set(Opening::Refused);
        if let Some(gated) = self.streams.lock().gated.get_mut(&stream) {
            gated.queued.retain(|queued| !Arc::ptr_eq(queued, outcome));
        }
    }

    /// The stream waits for a record that these gates precede.
    pub(super) fn inherit(&self, stream: u64, more: &[Arc<GateOutcome>]) -> Result<()> {
        let mut streams = self.streams.lock();
        streams.prune();
        let gated = streams.gated.entry(stream).or_default();
        gated.prune();
        for outcome in more {
            if !gated.outcomes.iter().any(|known| Arc::ptr_eq(known, outcome)) {
                gated.push(outcome)?;
            }
        }
        self.listed.store(streams.gated.len(), Ordering::Relaxed);
        Ok(())
    }

    /// Returns the gates that precede the stream's next work; `None` if all were opened without a failure.
    pub(super) fn of(&self, stream: u64) -> Option<GateOutcomes> {
        let mut streams = self.streams.lock();
        let gated = streams.gated.get_mut(&stream)?;
        gated.prune();
        let now = Some(gated.outcomes.clone()).filter(|outcomes| !outcomes.is_empty());
        if now.is_none() {
            streams.gated.remove(&stream);
            self.listed.store(streams.gated.len(), Ordering::Relaxed);
        }
        now
    }

    /// Fails if one of the stream's gates failed.
    pub(super) fn check(&self, stream: u64) -> Result<()> {
        self.of(stream).and_then(|outcomes| failure(&outcomes)).map_or(Ok(()), |status| Err(Error::EventFailed(status)))
    }

    /// Like [`StreamGates::check`], and clears the failure.
    pub(super) fn take_failure(&self, stream: u64) -> Result<()> {
        let failed = self.check(stream);
        if failed.is_err()
            && let Some(gated) = self.streams.lock().gated.get_mut(&stream)
        {
            Arc::make_mut(&mut gated.outcomes).retain(|outcome| outcome.failure().is_none());
        }
        failed
    }

    /// Like [`StreamGates::take_failure`], of all streams.
    pub(super) fn take_failures(&self) -> Result<()> {
        let streams: Vec<_> = self.streams.lock().gated.keys().copied().collect();
        // All are taken, and the first is returned.
        streams
            .into_iter()
            .filter_map(|stream| self.take_failure(stream).err())
            .reduce(|first, _| first)
            .map_or(Ok(()), Err)
    }

    /// The stream has ended. Its queued work still completes.
    pub(super) fn forget(&self, stream: u64) {
        let mut streams = self.streams.lock();
        if let Some(gated) = streams.gated.remove(&stream) {
            streams.left.extend(gated.queued.into_iter().filter(|outcome| !outcome.is_open()));
            self.listed.store(streams.gated.len(), Ordering::Relaxed);
        }
    }
}

/// The gates that precede a record. Never freed, as a mark may be older than the record.
#[derive(Default)]
pub(super) struct RecordGates(Mutex<Option<GateOutcomes>>);

static FREE: Mutex<Vec<&'static RecordGates>> = Mutex::new(Vec::new());

impl RecordGates {
    pub(super) fn take() -> &'static RecordGates {
        FREE.lock().pop().unwrap_or_else(|| Box::leak(Box::default()))
    }

    pub(super) fn put(&'static self) {
        self.set(None);
        FREE.lock().push(self);
    }

    pub(super) fn set(&self, outcomes: Option<GateOutcomes>) {
        *self.0.lock() = outcomes;
    }

    pub(super) fn outcomes(&self) -> Option<GateOutcomes> {
        self.0.lock().clone()
    }

    /// Fails if one of the record's gates failed.
    pub(super) fn check(&self) -> Result<()> {
        let failed = self.0.lock().as_ref().and_then(failure);
        failed.map_or(Ok(()), |status| Err(Error::EventFailed(status)))
    }
}

#[cfg(test)]
#[path = "gate_failures_tests.rs"]
mod tests;
