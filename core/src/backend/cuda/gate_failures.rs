//! Failures of gates on CUDA streams. A CUDA stream cannot fail: it continues after a gate that was opened with a failure. So gevt notes which
//! gates precede a stream's next work and each record, and reports their failure.
//!
//! The streams of a context share the driver's queues, and which streams share one is not known. A queue of an H200 holds 1,021 pieces of
//! work, and a call that finds it full blocks until one completes. Behind a closed gate that may be forever, so the gates in the queues of a
//! context are bounded.

use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::point::Gate;
use crate::status::Status;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The bound. The header names it, at gevt_stream_wait.
const MOST: usize = 512;

/// The least number of entries at which the list is pruned.
const FEW: usize = 64;

/// Something after gates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gated {
    /// The next work of a stream, by the stream's key.
    Stream(u64),
    /// The last record of a native event.
    Record(u64),
}

/// Gates that are closed, or that were opened with a failure.
pub(super) type Gates = Vec<Arc<Gate>>;

fn prune(gates: &mut Gates) {
    gates.retain(|gate| gate.opened() != Some(Status::SUCCESS));
}

/// Fails if one of the gates failed.
pub(super) fn check(gates: &Gates) -> Result<()> {
    let failed = gates.iter().filter_map(|gate| gate.opened()).find(|status| *status != Status::SUCCESS);
    failed.map_or(Ok(()), |status| Err(Error::EventFailed(status)))
}

#[derive(Default)]
struct Lists {
    gated: BTreeMap<Gated, Gates>,
    /// `gated` is pruned when it is longer than this.
    crowded: usize,
    /// The gates that may be in the driver's queues, each with its stream, in the order of the waits.
    queued: Vec<(u64, Arc<Gate>)>,
}

impl Lists {
    fn prune(&mut self) {
        self.gated.retain(|_, gates| {
            prune(gates);
            !gates.is_empty()
        });
        self.crowded = (2 * self.gated.len()).max(FEW);
    }

    fn of(&mut self, gated: Gated) -> &mut Gates {
        if self.gated.len() > self.crowded {
            self.prune();
        }
        let gates = self.gated.entry(gated).or_default();
        prune(gates);
        gates
    }

    /// Forgets the gates that streams have passed: a gate that is open may be queued after one that is closed.
    fn prune_queue(&mut self) {
        let mut blocked = BTreeSet::new();
        self.queued.retain(|(stream, gate)| {
            let is_queued = gate.opened().is_none() || blocked.contains(stream);
            if is_queued {
                blocked.insert(*stream);
            }
            is_queued
        });
    }
}

/// The gates of the streams and records of a context.
#[derive(Default)]
pub(super) struct StreamGates {
    /// How many streams and records are listed.
    listed: AtomicUsize,
    lists: Mutex<Lists>,
}

impl StreamGates {
    /// Returns whether nothing in the context comes after gates.
    #[inline]
    pub(super) fn are_none(&self) -> bool {
        self.listed.load(Ordering::Relaxed) == 0
    }

    fn change<T>(&self, change: impl FnOnce(&mut Lists) -> T) -> T {
        let mut lists = self.lists.lock();
        let changed = change(&mut lists);
        self.listed.store(lists.gated.len(), Ordering::Relaxed);
        changed
    }

    /// Forgets all failures: the retired context is reused.
    pub(super) fn clear(&self) {
        self.change(|lists| lists.gated.clear());
    }

    /// Adds a gate to the stream; an error if the queues have no room.
    pub(super) fn queue(&self, stream: u64, gate: &Arc<Gate>) -> Result<()> {
        self.change(|lists| {
            if lists.queued.len() >= MOST {
                lists.prune_queue();
            }
            if lists.queued.len() >= MOST {
                return Err(Error::QueueFull);
            }
            lists.queued.push((stream, gate.clone()));
            lists.of(Gated::Stream(stream)).push(gate.clone());
            Ok(())
        })
    }

    /// Forgets what has passed all its gates, after one was opened: all at once when no gate is left.
    pub(super) fn opened(&self) {
        self.change(|lists| {
            lists.prune_queue();
            if lists.queued.is_empty() {
                lists.prune();
            }
        });
    }

    /// Returns the gates that precede it.
    pub(super) fn of(&self, gated: Gated) -> Gates {
        if self.are_none() {
            return Gates::new();
        }
        self.lists.lock().gated.get(&gated).cloned().unwrap_or_default()
    }

    /// These gates precede it too.
    pub(super) fn add(&self, gated: Gated, more: Gates) {
        if more.is_empty() {
            return;
        }
        self.change(|lists| {
            let gates = lists.of(gated);
            for gate in more {
                if !gates.iter().any(|known| Arc::ptr_eq(known, &gate)) {
                    gates.push(gate);
                }
            }
        });
    }

    /// No gates precede it any more.
    pub(super) fn forget(&self, gated: Gated) {
        if !self.are_none() {
            self.change(|lists| lists.gated.remove(&gated));
        }
    }

    /// Fails if one of its gates failed.
    pub(super) fn check(&self, gated: Gated) -> Result<()> {
        check(&self.of(gated))
    }

    /// Like [`StreamGates::check`], and clears the failure.
    pub(super) fn take_failure(&self, gated: Gated) -> Result<()> {
        self.check(gated).inspect_err(|_| {
            self.change(|lists| lists.of(gated).retain(|gate| gate.opened().is_none()));
        })
    }

    /// Like [`StreamGates::take_failure`], of all streams: returns the first failure.
    pub(super) fn take_failures(&self) -> Result<()> {
        let streams: Vec<_> =
            self.lists.lock().gated.keys().copied().filter(|gated| matches!(gated, Gated::Stream(_))).collect();
        streams.into_iter().map(|stream| self.take_failure(stream)).fold(Ok(()), Result::and)
    }
}

#[cfg(test)]
#[path = "gate_failures_tests.rs"]
mod tests;
