//! The table's properties, one test each.

use super::handle::LAST_GENERATION;
use super::slab::first_generation;
use super::*;
use crate::error::Error;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

/// A table with a kind that no test of the machine uses at the same time.
#[derive(Default)]
struct Thing {
    value: AtomicU64,
    recycled: AtomicU64,
}

table! {
    static THINGS: Thing, Stream;
}

impl Recycle for Thing {
    fn recycle(&self, _: Word) {
        self.recycled.fetch_add(1, Ordering::SeqCst);
    }
}

/// The table of one test.
#[derive(Default)]
struct Other;

table! {
    static OTHERS: Other, Event;
}

impl Recycle for Other {
    fn recycle(&self, _: Word) {}
}

/// The tests share the table; tests that count live objects take turns.
static TURN: crate::lock::Mutex<()> = crate::lock::Mutex::new(());

/// How often something is done; Miri takes a millisecond for what a processor does in a microsecond.
const fn times(count: u64) -> u64 {
    if cfg!(miri) { count / 50 } else { count }
}

fn make(value: u64) -> Handle {
    let made = THINGS.insert(|thing| thing.value.store(value, Ordering::SeqCst));
    made.expect("there is room")
}

#[test]
fn no_handle_is_issued_twice() {
    let _turn = TURN.lock();
    let mut seen = HashSet::new();
    for round in 0..times(10_000) {
        let handle = make(round);
        assert!(seen.insert(handle), "{handle:?} came back");
        THINGS.remove(handle).expect("it lives");
    }
}

/// The thread's end cannot be registered: its list of functions is full.
#[test]
fn a_thread_that_keeps_no_free_slots_only_destroys() {
    fn end<const N: usize>() {
        std::hint::black_box(N);
    }
    let ends = [end::<0>, end::<1>, end::<2>, end::<3>, end::<4>, end::<5>, end::<6>, end::<7>];
    let more = [end::<8>, end::<9>, end::<10>, end::<11>, end::<12>, end::<13>, end::<14>, end::<15>];
    let handles: Vec<Handle> = (0..200).map(|_| OTHERS.insert(|_| ()).expect("there is room")).collect();
    let given: HashSet<u32> = handles.iter().map(|handle| handle.index()).collect();
    let thread = std::thread::spawn(move || {
        assert!(ends.into_iter().chain(more).all(|end: fn()| crate::thread::at_end(end)));
        assert_eq!(OTHERS.insert(|_| ()), Err(Error::OutOfMemory));
        assert_eq!(OTHERS.live(), handles.len());
        assert!(handles.into_iter().all(|handle| OTHERS.remove(handle) == Ok(())));
    });
    thread.join().expect("there is room");
    // Other threads reuse the slots that it gave back.
    let again: HashSet<u32> = (0..400).map(|_| OTHERS.insert(|_| ()).expect("there is room").index()).collect();
    assert!(given.is_subset(&again));
}

#[test]
fn a_handle_reads_its_own_object() {
    let _turn = TURN.lock();
    let handles: Vec<Handle> = (0..times(3000)).map(make).collect();
    for (value, handle) in (0..).zip(&handles) {
        assert_eq!(THINGS.get(*handle).expect("it lives").value.load(Ordering::SeqCst), value);
    }
    assert_eq!(THINGS.live(), handles.len());
    for handle in &handles {
        THINGS.remove(*handle).expect("it lives");
    }
    assert_eq!(THINGS.live(), 0);
}

#[test]
fn wrong_handles_are_told_apart() {
    let _turn = TURN.lock();
    let handle = make(1);
    let error = |handle| THINGS.get(handle).err();
    assert_eq!(error(Handle::NULL), Some(Error::NullHandle(Kind::Stream)));
    let other = Handle::new(Kind::Event, handle.generation(), handle.index());
    assert_eq!(error(other), Some(Error::WrongKind(Kind::Stream, Kind::Event)));
    let never = [
        Handle(0x10),
        Handle(0x7fff_1234_5678),
        Handle(u64::MAX),
        Handle::new(Kind::Stream, first_generation(), handle.index()),
        // As another copy of the library, or another process, would have issued it.
        Handle::new(Kind::Stream, handle.generation() ^ (1 << 27), handle.index()),
        Handle::new(Kind::Stream, handle.generation() + 1, handle.index()),
        Handle::new(Kind::Stream, 1, (1 << 28) - 1),
    ];
    for handle in never {
        assert_eq!(error(handle), Some(Error::UnknownHandle(Kind::Stream)), "{handle:?}");
        assert_eq!(THINGS.remove(handle).err(), Some(Error::UnknownHandle(Kind::Stream)), "{handle:?}");
    }
    THINGS.remove(handle).expect("it lives");
    assert_eq!(error(handle), Some(Error::StaleHandle(Kind::Stream)));
    assert_eq!(THINGS.remove(handle), Err(Error::StaleHandle(Kind::Stream)));
    // The slot serves another object, and the old handle stays stale.
    let next = make(2);
    assert_eq!(next.index(), handle.index());
    assert_eq!(error(handle), Some(Error::StaleHandle(Kind::Stream)));
    THINGS.remove(next).expect("it lives");
}

#[test]
fn the_last_user_recycles() {
    let _turn = TURN.lock();
    let handle = make(1);
    let guard = THINGS.get(handle).expect("it lives");
    let slot = guard.slot();
    let before = slot.value.recycled.load(Ordering::SeqCst);
    THINGS.remove(handle).expect("it lives");
    assert_eq!(slot.value.recycled.load(Ordering::SeqCst), before);
    assert!(THINGS.get(handle).is_err());
    // A use that begins too late ends at once.
    assert!(!slot.enter(handle));
    drop(guard);
    assert_eq!(slot.value.recycled.load(Ordering::SeqCst), before + 1);
}

#[test]
fn a_slot_that_has_used_up_its_generations_is_retired() {
    let _turn = TURN.lock();
    let handle = make(1);
    let guard = THINGS.get(handle).expect("it lives");
    let slot = guard.slot();
    drop(guard);
    THINGS.remove(handle).expect("it lives");
    // As after a quarter of a billion objects.
    let before = |lives: u64| first_generation().wrapping_sub(lives) & LAST_GENERATION;
    slot.word.publish(Word::free(before(2)));
    let last = make(2);
    assert_eq!((last.index(), last.generation()), (handle.index(), before(1)));
    THINGS.remove(last).expect("it lives");
    assert!(slot.next_life(first_generation()).is_none());
    for _ in 0..times(2000) {
        assert_ne!(make(3).index(), last.index());
    }
    assert_eq!(THINGS.get(last).err(), Some(Error::StaleHandle(Kind::Stream)));
    (0..9000).filter_map(live_at).for_each(|handle| THINGS.remove(handle).expect("it lives"));
    assert_eq!(THINGS.live(), 0);
}

#[test]
fn threads_get_handles_of_their_own() {
    let _turn = TURN.lock();
    let body = |thread: u64| {
        let mut issued = Vec::new();
        let mut kept = Vec::new();
        for round in 0..times(5000) {
            let handle = make(thread);
            issued.push(handle);
            kept.push(handle);
            // Some live on, and some are destroyed much later than they were made.
            if round % 5 != 0 {
                THINGS.remove(kept.swap_remove(kept.len() / 2)).expect("it lives");
            }
        }
        (issued, kept)
    };
    let all: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || body(thread))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let issued = all.iter().flat_map(|(issued, _)| issued);
    assert_eq!(issued.collect::<HashSet<_>>().len() as u64, 4 * times(5000));
    let kept: Vec<Handle> = all.iter().flat_map(|(_, kept)| kept).copied().collect();
    assert_eq!(kept.iter().map(|handle| handle.index()).collect::<HashSet<_>>().len(), kept.len());
    assert_eq!(THINGS.live(), kept.len());
    kept.into_iter().for_each(|handle| THINGS.remove(handle).expect("it lives"));
    assert_eq!(THINGS.live(), 0);
}

#[test]
fn ended_threads_give_their_slots_back() {
    let _turn = TURN.lock();
    let one_object = || {
        let handle = make(1);
        THINGS.remove(handle).expect("it lives");
        // One more after the thread has given back what it had.
        assert!(crate::thread::at_end(|| THINGS.remove(make(2)).expect("it lives")));
        handle.index()
    };
    let slots: HashSet<u32> = (0..300).map(|_| std::thread::spawn(one_object).join().expect("no panic")).collect();
    assert!(slots.len() < 100, "300 threads, one after the other, used {} slots", slots.len());
}

/// The handle of the object that lives in a slot.
fn live_at(index: u32) -> Option<Handle> {
    let word = THINGS.word(Handle::new(Kind::Stream, 0, index))?;
    word.is_live().then(|| Handle::new(Kind::Stream, word.generation(), index))
}
