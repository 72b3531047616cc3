//! A gate: closed until the host opens it, for good or with a failure. Any number of waiters may wait for it.
//!
//! Gates are reused and never freed. Each use is a *round* with a number that only grows, so a round keeps its meaning as long as
//! the process lives. A gate without a [`GateUse`] is free for reuse.

use super::WaiterList;
use crate::probe::Obstacle;
use crate::status::Status;
use crate::sync::{AtomicU32, AtomicU64, Mutex, Ordering};
use crate::workers::{self, Parker, Waiter};

/// How many of the last failed rounds are remembered without a use.
const KEPT: usize = 64;

/// A gate.
pub(crate) struct Gate {
    /// Twice the number of the last round, plus one when it is open.
    state: AtomicU64,
    /// 1 if a round failed.
    any_failed: AtomicU32,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// The waiters for the last round.
    waiters: WaiterList,
    /// By number.
    failed: Vec<FailedRound>,
    /// The number of failed rounds at which unused ones are forgotten.
    most_failed: usize,
    /// Uses of all rounds.
    uses: usize,
    /// The uses of the last round, including the owner's.
    uses_of_last: u32,
    /// A backend opens the last round, and not the program.
    opened_by_backend: bool,
}

struct FailedRound {
    number: u64,
    status: Status,
    /// Zero for the last round, whose uses [`Inner`] counts.
    uses: u32,
}

impl Inner {
    fn failed(&mut self, number: u64) -> Option<&mut FailedRound> {
        let place = self.failed.binary_search_by_key(&number, |round| round.number).ok()?;
        self.failed.get_mut(place)
    }

    /// The count of the round's uses; `None` for an earlier round that did not fail.
    fn uses_of(&mut self, number: u64, last: u64) -> Option<&mut u32> {
        if number == last { Some(&mut self.uses_of_last) } else { self.failed(number).map(|round| &mut round.uses) }
    }

    /// Passes the owner's use to the next round.
    fn leave_round(&mut self, number: u64) {
        let others = std::mem::replace(&mut self.uses_of_last, 1).saturating_sub(1);
        if let Some(failed) = self.failed(number) {
            failed.uses = others;
        }
        if self.failed.len() >= self.most_failed.max(2 * KEPT) {
            let mut others = self.failed.len().saturating_sub(KEPT);
            self.failed.retain(|round| {
                let is_recent = others == 0;
                others = others.saturating_sub(1);
                is_recent || round.uses > 0
            });
            // As many again fail before the next search.
            self.most_failed = 2 * self.failed.len();
        }
    }
}

/// Gates without a use.
static FREE: crate::lock::Mutex<Vec<&'static Gate>> = crate::lock::Mutex::new(Vec::new());

/// One use of a gate, from closed to open.
#[derive(Clone, Copy)]
pub(crate) struct Round {
    gate: &'static Gate,
    number: u64,
}

/// Keeps a round for its waiters and its opener. The last use of a gate opens it with a failure, if it is closed.
pub(crate) struct GateUse(Round);

impl Default for Gate {
    fn default() -> Gate {
        Gate { state: AtomicU64::new(1), any_failed: AtomicU32::new(0), inner: Mutex::default() }
    }
}

impl Gate {
    /// Begins a round of a gate without a use.
    pub(crate) fn take() -> GateUse {
        let free = FREE.lock().pop();
        free.unwrap_or_else(|| Box::leak(Box::default())).begin_use()
    }

    /// Begins a round of a gate, which has no other use.
    pub(crate) fn begin_use(&'static self) -> GateUse {
        let mut inner = self.inner.lock();
        inner.uses += 1;
        GateUse(self.begin(&mut inner))
    }

    /// The number of the last round.
    fn last(&self) -> u64 {
        self.state.load(Ordering::Relaxed) / 2
    }

    fn begin(&'static self, inner: &mut Inner) -> Round {
        inner.leave_round(self.last());
        inner.opened_by_backend = false;
        let number = self.last() + 1;
        self.state.store(2 * number, Ordering::Release);
        Round { gate: self, number }
    }
}

impl Round {
    /// Returns the gate's address and the round's number.
    #[inline]
    pub(crate) fn pack(self) -> [u64; 2] {
        [std::ptr::from_ref(self.gate) as u64, self.number]
    }

    /// Returns the round of these words.
    ///
    /// # Safety
    /// The words are those of [`Round::pack`].
    #[inline]
    pub(crate) unsafe fn unpack([gate, number]: [u64; 2]) -> Round {
        // SAFETY: the address of a gate, by this function's contract; gates are never freed.
        Round { gate: unsafe { &*(gate as *const Gate) }, number }
    }

    /// Notes that a backend opens the round.
    pub(crate) fn set_opened_by_backend(self) {
        self.gate.inner.lock().opened_by_backend = true;
    }

    /// Returns the awaited object's description for a trace.
    #[cold]
    pub(crate) fn obstacle(self) -> Obstacle {
        if self.gate.inner.lock().opened_by_backend { Obstacle::Backend } else { Obstacle::Signal }
    }

    /// Begins the gate's next round. This one is open, and the caller has a use of it.
    pub(crate) fn next(self) -> Round {
        self.gate.begin(&mut self.gate.inner.lock())
    }

    /// Returns how the round was opened; `None` if it was not.
    #[inline]
    pub(crate) fn opened(self) -> Option<Status> {
        if self.gate.state.load(Ordering::Acquire) <= 2 * self.number {
            return None;
        }
        Some(if self.gate.any_failed.load(Ordering::Acquire) == 0 { Status::SUCCESS } else { self.failure() })
    }

    #[cold]
    fn failure(self) -> Status {
        self.gate.inner.lock().failed(self.number).map_or(Status::SUCCESS, |failed| failed.status)
    }

    /// Opens the gate and wakes the waiters; false if it was opened before.
    pub(crate) fn open(self, status: Status) -> bool {
        let Some(waiters) = self.open_only(status) else { return false };
        waiters.for_each(|waiter| workers::wake(waiter, status));
        true
    }

    /// Like [`Round::open`], but returns the waiters, which the caller wakes after it has released its lock.
    #[must_use]
    pub(crate) fn open_only(self, status: Status) -> Option<impl Iterator<Item = Waiter> + use<>> {
        let mut inner = self.gate.inner.lock();
        if self.gate.state.load(Ordering::Relaxed) != 2 * self.number {
            return None;
        }
        if status != Status::SUCCESS {
            inner.failed.push(FailedRound { number: self.number, status, uses: 0 });
            self.gate.any_failed.store(1, Ordering::Release);
        }
        self.gate.state.store(2 * self.number + 1, Ordering::Release);
        Some(inner.waiters.take_all())
    }

    /// Registers a waiter; returns it if the round is open.
    pub(crate) fn notify(self, waiter: Waiter) -> Option<Waiter> {
        let mut inner = self.gate.inner.lock();
        if self.gate.state.load(Ordering::Relaxed) != 2 * self.number {
            return Some(waiter);
        }
        inner.waiters.add(self.number, waiter);
        None
    }

    /// Forgets a parked thread.
    pub(crate) fn forget(self, parker: &Parker) {
        self.gate.inner.lock().waiters.forget(self.number, parker);
    }

    /// Adds a use of the gate.
    pub(crate) fn used(self) -> GateUse {
        let mut inner = self.gate.inner.lock();
        inner.uses += 1;
        if let Some(uses) = inner.uses_of(self.number, self.gate.last()) {
            *uses += 1;
        }
        GateUse(self)
    }
}

impl GateUse {
    /// Returns the round.
    pub(crate) fn round(&self) -> Round {
        self.0
    }

    /// Returns the round. The caller ends the use by [`GateUse::taken_back`].
    pub(crate) fn into_round(self) -> Round {
        let round = self.0;
        std::mem::forget(self);
        round
    }

    /// Recovers the use from [`GateUse::into_round`] or [`Round::used`]: of the same gate, though maybe of another
    /// round.
    pub(crate) fn taken_back(round: Round) -> GateUse {
        GateUse(round)
    }
}

impl Drop for GateUse {
    fn drop(&mut self) {
        let gate = self.0.gate;
        let mut inner = gate.inner.lock();
        inner.uses -= 1;
        if inner.uses > 0 {
            if let Some(uses) = inner.uses_of(self.0.number, gate.last()) {
                *uses = uses.saturating_sub(1);
            }
            return;
        }
        let last = Round { gate, number: gate.last() };
        drop(inner);
        // Nobody is left who could.
        last.open(Status::CONTEXT_IS_DESTROYED);
        gate.inner.lock().failed.clear();
        gate.any_failed.store(0, Ordering::Release);
        give_back(gate);
    }
}

/// How a stream's gate is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Opening {
    /// The wait has ended, with SUCCESS or a failure.
    Done(Status),
    /// The call that made the stream wait has failed, and the wait does not count.
    Refused,
}

/// Opens a gate that a stream waits for. Dropping it opens the gate with a failure.
pub(crate) struct Opener(Option<Box<dyn FnOnce(Opening) + Send>>);

impl Opener {
    pub(crate) fn new(open: impl FnOnce(Opening) + Send + 'static) -> Opener {
        Opener(Some(Box::new(open)))
    }

    /// The opener of a round that one stream waits for.
    pub(crate) fn of_round(used: GateUse) -> Opener {
        Opener::new(move |opening| {
            used.round().open(opening.status());
        })
    }

    pub(crate) fn open(mut self, opening: Opening) {
        if let Some(open) = self.0.take() {
            open(opening);
        }
    }
}

impl Opening {
    pub(crate) fn status(self) -> Status {
        match self {
            Opening::Done(status) => status,
            Opening::Refused => Status::SUCCESS,
        }
    }
}

impl Drop for Opener {
    fn drop(&mut self) {
        if let Some(open) = self.0.take() {
            open(Opening::Done(Status::CONTEXT_IS_DESTROYED));
        }
    }
}

#[cfg(not(loom))]
fn give_back(gate: &'static Gate) {
    FREE.lock().push(gate);
}

/// Each gate of a model has one use.
#[cfg(loom)]
fn give_back(_: &'static Gate) {}

#[cfg(all(test, not(loom)))]
#[path = "gate_tests.rs"]
mod tests;

#[cfg(all(test, loom))]
#[path = "gate_loom_tests.rs"]
mod loom_tests;
