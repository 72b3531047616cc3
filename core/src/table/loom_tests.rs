//! Destroy against use: each test is one meeting of threads, which loom runs in all orders of their steps.

use super::guard::{Found, Guard};
use super::handle::Handle;
use super::slot::{Recycle, Slot, Stored};
use super::word::Word;
use crate::kind::Kind;
use crate::sync::{AtomicU64, Ordering};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

/// A value that loom watches: a use that overlaps with a clean-up fails the test. It holds how often it was recycled.
pub(crate) struct Watched {
    recycled: UnsafeCell<u32>,
    /// How often it can be given to the next object.
    ready: AtomicU64,
}

// SAFETY: loom fails the test where two threads touch the cell at once and one of them writes.
unsafe impl Sync for Watched {}

impl Default for Watched {
    fn default() -> Watched {
        Watched { recycled: UnsafeCell::new(0), ready: AtomicU64::new(0) }
    }
}

impl Watched {
    /// Uses the value; gives how often it was recycled so far.
    pub(crate) fn touch(&self) -> u32 {
        // SAFETY: loom checks that there is no concurrent write.
        self.recycled.with(|recycled| unsafe { *recycled })
    }

    pub(crate) fn recycle(&self) {
        // SAFETY: loom checks that there is no concurrent access.
        self.recycled.with_mut(|recycled| unsafe { *recycled += 1 });
        self.ready.fetch_add(1, Ordering::Release);
    }
}

impl Recycle for Watched {
    fn recycle(&self, _: Word) {
        Watched::recycle(self);
    }
}

/// A model has one slot, and gives it to the next object itself.
macro_rules! stored {
    ($($value:ty),*) => {$(
        impl $crate::table::Stored for $value {
            const KIND: $crate::table::Kind = $crate::table::Kind::Event;
            fn give_back(_: u32) {}
        }
    )*};
}
pub(crate) use stored;
stored! { Watched, Fields }

/// Runs two threads in every order of their steps that has at most six preemptions.
pub(crate) fn two_threads(body: impl Fn() + Send + Sync + 'static) {
    explore(6, body);
}

/// Like [`two_threads`], for three: there each further preemption costs ten times as long.
pub(crate) fn three_threads(body: impl Fn() + Send + Sync + 'static) {
    explore(3, body);
}

/// Runs threads in every order of their steps that has at most so many preemptions; LOOM_MAX_PREEMPTIONS takes their place.
pub(crate) fn explore(preemptions: usize, body: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(preemptions));
    // Those of the workers take more steps than the usual limit.
    builder.max_branches = builder.max_branches.max(4000);
    builder.check(body);
}

/// A slot with a live object of generation 1.
pub(crate) fn live<T: Stored>() -> Arc<Slot<T>> {
    let slot = Slot::new(0);
    reuse(&slot);
    Arc::new(slot)
}

/// Gives the slot its next object.
fn reuse<T: Stored>(slot: &Slot<T>) {
    slot.word.publish(slot.begin_life(0).expect("generations are left"));
}

/// The handle of the object of that generation.
pub(crate) fn handle(generation: u64) -> Handle {
    Handle::new(Kind::Event, generation, 0)
}

/// Destroys the object; false where it was destroyed before.
pub(crate) fn destroy<T: Stored>(slot: &Slot<T>, generation: u64) -> bool {
    slot.kill(handle(generation))
}

/// Uses the object under a guard; `None` if it is no longer live.
pub(crate) fn with_guard<T: Stored, R>(slot: &Slot<T>, generation: u64, body: impl FnOnce() -> R) -> Option<R> {
    Guard::enter(slot, handle(generation)).map(|_guard| body())
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
        assert!(!slot.enter(handle(1)), "a destroyed object lives");
    });
}

#[test]
fn destroy_against_a_guard_that_is_held() {
    three_threads(|| {
        let slot = live::<Watched>();
        assert!(slot.enter(handle(1)));
        let (first, second) = (slot.clone(), slot.clone());
        let destroyer = thread::spawn(move || assert!(destroy(&first, 1)));
        let user = thread::spawn(move || with_guard(&second, 1, || second.value.touch()));
        destroyer.join().expect("destroyer");
        assert_eq!(slot.value.touch(), 0, "recycled in use");
        slot.leave(0);
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
        if slot.enter(handle(1)) {
            slot.leave(0);
        } else if slot.value.ready.load(Ordering::Acquire) == 1 {
            reuse(&slot);
            assert!(slot.enter(handle(2)));
            assert!(destroy(&slot, 2));
            assert_eq!(slot.value.touch(), 1, "the first object's destroyer recycled the second one");
            slot.leave(0);
            destroyed = 2;
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

/// A value whose fields are read without a guard, as a stream's are.
#[derive(Default)]
struct Fields {
    first: AtomicU64,
    second: AtomicU64,
}

impl Recycle for Fields {
    fn recycle(&self, _: Word) {}
}

impl Fields {
    fn set(&self, value: u64) {
        self.first.store(value, Ordering::Relaxed);
        self.second.store(value, Ordering::Relaxed);
    }

    fn get(&self) -> [u64; 2] {
        [self.first.load(Ordering::Relaxed), self.second.load(Ordering::Relaxed)]
    }
}

/// The slot serves a second object while the first one's fields are read.
#[test]
fn optimistic_read_against_destroy_and_reuse() {
    two_threads(|| {
        let slot = live::<Fields>();
        let other = slot.clone();
        slot.value.set(1);
        slot.word.publish(slot.word.load());
        let owner = thread::spawn(move || {
            assert!(destroy(&other, 1));
            let next = other.begin_life(0).expect("generations are left");
            other.value.set(2);
            other.word.publish(next);
        });
        let read = |life| Found::of(&slot, Handle::new(Kind::Event, life, 0)).and_then(|found| found.read(Fields::get));
        let seen = read(1);
        assert!(matches!(seen, None | Some([1, 1])), "half of another object: {seen:?}");
        owner.join().expect("owner");
        assert_eq!(read(1), None, "a destroyed object is read");
        assert_eq!(read(2), Some([2, 2]));
    });
}
