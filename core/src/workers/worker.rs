//! What the pool knows of a thread that runs functions of the program's.

use super::helper::Awaited;
use super::watcher::Sight;
use crate::clock;
use crate::os::ThreadWatch;
use crate::sync::thread_local;
use std::cell::Cell;
use std::sync::atomic::{AtomicI64, AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

/// A thread that runs functions of the program's. Used again for another thread when that one ends, and never freed.
#[derive(Default)]
pub(crate) struct Worker {
    /// Functions and turns begun. Only the thread itself counts them.
    begun: AtomicU64,
    /// A [`Place`]. Changes under the pool's lock.
    place: AtomicU8,
    /// When it got its place after a wait for one, on the host's clock.
    turn: AtomicI64,
    /// The calling thread's way to be watched, and what the watcher saw last.
    pub(super) seen: parking_lot::Mutex<Sight>,
    /// What the thread waits for, if it runs what is due meanwhile.
    pub(super) awaited: parking_lot::Mutex<Option<Awaited>>,
}

/// Whether a worker counts as one of those that may run functions at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Place {
    /// It has none, as it sleeps in gevt: it is parked, or waits for an event or for a place.
    None,
    /// It has one.
    Held,
    /// It is in a function, and lost its place when it was found asleep there, or has not got it back in time.
    Lost,
}

thread_local! {
    static CURRENT: Cell<Option<&'static Worker>> = const { Cell::new(None) };
}

/// Those of threads that have ended.
static SPARE: parking_lot::Mutex<Vec<&'static Worker>> = parking_lot::Mutex::new(Vec::new());

impl Worker {
    /// Makes the calling thread a worker without a place, until [`Worker::leave`].
    pub(super) fn enter() -> &'static Worker {
        let spare = SPARE.lock().pop();
        let worker = spare.unwrap_or_else(|| Box::leak(Box::default()));
        worker.set_place(Place::None);
        *worker.seen.lock() = Sight::of(ThreadWatch::of_this_thread());
        CURRENT.with(|current| current.set(Some(worker)));
        worker
    }

    /// Ends what [`Worker::enter`] began.
    pub(super) fn leave(&'static self) {
        CURRENT.with(|current| current.set(None));
        let mut spare = SPARE.lock();
        if spare.try_reserve(1).is_ok() {
            spare.push(self);
        }
    }

    /// The calling thread's, if it is a worker.
    pub(super) fn current() -> Option<&'static Worker> {
        CURRENT.with(Cell::get)
    }

    /// Counts a function or a turn that the calling thread begins.
    pub(super) fn begin(&self) {
        self.begun.store(self.begun() + 1, Ordering::Relaxed);
    }

    pub(super) fn begun(&self) -> u64 {
        self.begun.load(Ordering::Relaxed)
    }

    pub(super) fn place(&self) -> Place {
        match self.place.load(Ordering::Relaxed) {
            0 => Place::None,
            1 => Place::Held,
            _ => Place::Lost,
        }
    }

    pub(super) fn set_place(&self, place: Place) {
        self.place.store(place as u8, Ordering::Relaxed);
    }

    /// Notes that the worker has a place again.
    pub(super) fn begin_turn(&self) {
        self.turn.store(clock::now(), Ordering::Relaxed);
    }

    /// Returns whether the worker has had its place for so long.
    pub(super) fn has_had_turn(&self, time: Duration) -> bool {
        clock::now() - self.turn.load(Ordering::Relaxed) > time.as_nanos() as i64
    }
}
