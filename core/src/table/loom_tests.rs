//! Destroy against use: each test is one meeting of threads, which loom runs in all orders of their steps.

use super::slot::{Entered, Entry, Slot};
use super::word::Word;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

/// A value that loom watches: a use that overlaps with a clean-up fails the test. It holds how often it was recycled.
pub(crate) struct Watched(UnsafeCell<u32>);

// SAFETY: loom fails the test where two threads touch the cell at once and one of them writes.
unsafe impl Sync for Watched {}

impl Default for Watched {
    fn default() -> Watched {
        Watched(UnsafeCell::new(0))
    }
}

impl Watched {
    /// Uses the value; gives how often it was recycled so far.
    pub(crate) fn touch(&self) -> u32 {
        // SAFETY: loom checks that nobody writes meanwhile.
        self.0.with(|recycled| unsafe { *recycled })
    }

    pub(crate) fn recycle(&self) {
        // SAFETY: loom checks that nobody else touches it meanwhile.
        self.0.with_mut(|recycled| unsafe { *recycled += 1 });
    }
}

impl Entry for Watched {
    fn recycle(&self, _: Word) {
        Watched::recycle(self);
    }
}

/// Runs two threads in every order of their steps that has at most six preemptions.
pub(crate) fn two_threads(body: impl Fn() + Send + Sync + 'static) {
    explore(6, body);
}

/// As [`two_threads`], for three: there each further preemption costs ten times as long.
pub(crate) fn three_threads(body: impl Fn() + Send + Sync + 'static) {
    explore(3, body);
}

/// Runs threads in every order of their steps that has at most so many preemptions; LOOM_MAX_PREEMPTIONS takes their place.
pub(crate) fn explore(preemptions: usize, body: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(preemptions));
    builder.check(body);
}

/// A slot with a live object of generation 1.
pub(crate) fn live<T: Entry>() -> Arc<Slot<T>> {
    let slot = Slot::new();
    reuse(&slot);
    Arc::new(slot)
}

/// Gives the slot its next object.
fn reuse<T: Entry>(slot: &Slot<T>) {
    slot.word.publish(slot.next_life().expect("generations are left"));
}

/// As `Table::recycle` does it for a caller whom the slot told to.
pub(crate) fn recycle_if<T: Entry>(told: bool, slot: &Slot<T>) {
    if told {
        slot.value.recycle(slot.word.load());
    }
}

/// Destroys the object; false where it was destroyed before.
pub(crate) fn destroy<T: Entry>(slot: &Slot<T>, generation: u64) -> bool {
    let killed = slot.kill(generation);
    recycle_if(killed == Some(true), slot);
    killed.is_some()
}

/// Uses the object as a guard does; `None` where it lives no more.
pub(crate) fn with_guard<T: Entry, R>(slot: &Slot<T>, generation: u64, body: impl FnOnce() -> R) -> Option<R> {
    match slot.enter(generation) {
        Entered::Yes => {
            let result = body();
            recycle_if(slot.leave(), slot);
            Some(result)
        }
        Entered::No { recycle } => {
            recycle_if(recycle, slot);
            None
        }
    }
}

#[test]
fn destroy_against_query() {
    two_threads(|| {
        let slot = live::<Watched>();
        let other = slot.clone();
        let destroyer = thread::spawn(move || assert!(destroy(&other, 1)));
        let seen = with_guard(&slot, 1, || slot.value.touch());
        assert!(matches!(seen, None | Some(0)), "the query met an object that was recycled");
        destroyer.join().expect("destroyer");
        assert_eq!(slot.value.touch(), 1);
        assert!(matches!(slot.enter(1), Entered::No { recycle: false }), "a destroyed object lives");
    });
}

#[test]
fn destroy_against_a_guard_that_is_held() {
    three_threads(|| {
        let slot = live::<Watched>();
        assert!(matches!(slot.enter(1), Entered::Yes));
        let (first, second) = (slot.clone(), slot.clone());
        let destroyer = thread::spawn(move || assert_eq!(first.kill(1), Some(false), "in use"));
        let user = thread::spawn(move || with_guard(&second, 1, || second.value.touch()));
        destroyer.join().expect("destroyer");
        assert_eq!(slot.value.touch(), 0, "recycled in use");
        recycle_if(slot.leave(), &slot);
        user.join().expect("user");
        assert_eq!(slot.value.touch(), 1);
    });
}

#[test]
fn destroy_against_destroy() {
    two_threads(|| {
        let slot = live::<Watched>();
        let other = slot.clone();
        let destroyer = thread::spawn(move || destroy(&other, 1));
        let destroyed = [destroy(&slot, 1), destroyer.join().expect("destroyer")];
        assert_eq!(destroyed.iter().filter(|done| **done).count(), 1, "one of them is told that the handle is stale");
        assert_eq!(slot.value.touch(), 1);
    });
}

#[test]
fn the_last_of_two_users_recycles() {
    three_threads(|| {
        let slot = live::<Watched>();
        let users = [slot.clone(), slot.clone()].map(|slot| {
            thread::spawn(move || {
                let seen = with_guard(&slot, 1, || slot.value.touch());
                assert!(matches!(seen, None | Some(0)), "recycled in use");
            })
        });
        assert!(destroy(&slot, 1));
        users.into_iter().for_each(|user| user.join().expect("user"));
        assert_eq!(slot.value.touch(), 1);
    });
}

/// The stale user may be the one that recycles the slot, which then serves a second object while the destroyer of the first
/// one has still to finish.
#[test]
fn stale_enter_against_recycle_and_reuse() {
    two_threads(|| {
        let slot = live::<Watched>();
        let other = slot.clone();
        let destroyer = thread::spawn(move || assert!(destroy(&other, 1)));
        let mut destroyed = 1;
        match slot.enter(1) {
            Entered::Yes => recycle_if(slot.leave(), &slot),
            Entered::No { recycle: false } => {}
            Entered::No { recycle: true } => {
                recycle_if(true, &slot);
                reuse(&slot);
                assert!(matches!(slot.enter(2), Entered::Yes));
                assert_eq!(slot.kill(2), Some(false), "in use");
                assert_eq!(slot.value.touch(), 1, "the first object's destroyer recycled the second one");
                recycle_if(slot.leave(), &slot);
                destroyed = 2;
            }
        }
        destroyer.join().expect("destroyer");
        assert_eq!(slot.value.touch(), destroyed);
    });
}

/// A stale handle keeps the slot's next object from being recycled for a moment: then it has to do that itself.
#[test]
fn stale_enter_against_destroy_of_the_next() {
    two_threads(|| {
        let slot = live::<Watched>();
        assert!(destroy(&slot, 1));
        reuse(&slot);
        let other = slot.clone();
        let destroyer = thread::spawn(move || assert!(destroy(&other, 2)));
        assert_eq!(with_guard(&slot, 1, || ()), None, "a stale handle is live");
        destroyer.join().expect("destroyer");
        assert_eq!(slot.value.touch(), 2);
    });
}
