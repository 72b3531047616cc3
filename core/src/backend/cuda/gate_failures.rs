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
use std::collections::{BTreeMap, VecDeque};
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

/// Like [`check`], and clears the failure.
fn take_failure(gates: &mut Gates) -> Result<()> {
    check(gates).inspect_err(|_| gates.retain(|gate| gate.opened().is_none()))
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
    /// The gates of each stream that may be in the driver's queues, in the order of the waits.
    queued: BTreeMap<u64, VecDeque<Arc<Gate>>>,
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
        self.queued.retain(|_, gates| {
            while gates.front().is_some_and(|gate| gate.opened().is_some()) {
                gates.pop_front();
            }
            !gates.is_empty()
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
            lists.prune_queue();
            if lists.queued.values().map(VecDeque::len).sum::<usize>() >= MOST {
                return Err(Error::QueueFull);
            }
            lists.queued.entry(stream).or_default().push_back(gate.clone());
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
    #[inline]
    pub(super) fn check(&self, gated: Gated) -> Result<()> {
        if self.are_none() { Ok(()) } else { check(&self.of(gated)) }
    }

    /// Like [`StreamGates::check`], and clears the failure. Without a stream, that of all streams: returns the first failure.
    pub(super) fn take_failure(&self, of: Option<Gated>) -> Result<()> {
        if self.are_none() {
            return Ok(());
        }
        let is_it = |gated: Gated| of.map_or(matches!(gated, Gated::Stream(_)), |of| of == gated);
        self.change(|lists| {
            let streams = lists.gated.iter_mut().filter(|(gated, _)| is_it(**gated));
            let failure = streams.map(|(_, gates)| take_failure(gates)).fold(Ok(()), Result::and);
            if failure.is_err() {
                lists.prune();
            }
            failure
        })
    }
}

#[cfg(test)]
#[path = "gate_failures_tests.rs"]
mod tests;
