//! Records against everything else: each test is one meeting of threads, which loom runs in all orders of their steps.

use super::state::{Op, State};
use super::word::{note, read, remember};
use crate::backend::Recorded;
use crate::error::{Error, Result};
use crate::sync::{AtomicU64, Ordering};
use crate::table::loom_tests::{Watched, destroy, live, stored, three_threads, two_threads, with_guard};
use crate::table::{Recycle, Slot, Word};
use loom::sync::Arc;
use loom::thread::{self, JoinHandle};

/// An event and its backend's state. Marks count up from 1; 0 means no mark, which counts as reached.
#[derive(Default)]
struct Event {
    watched: Watched,
    mark: AtomicU64,
    /// One bit per mark that its stream has reached.
    reached: AtomicU64,
}

stored! { Event }

impl Recycle for Event {
    fn recycle(&self, _: Word) {
        self.watched.recycle();
        self.mark.store(0, Ordering::Release);
    }
}

impl Event {
    fn mark(&self) -> u64 {
        self.watched.touch();
        self.mark.load(Ordering::Acquire)
    }

    fn reach(&self, mark: u64) {
        self.reached.fetch_or(1 << mark, Ordering::AcqRel);
    }

    fn is_reached(&self, mark: u64) -> bool {
        mark == 0 || self.reached.load(Ordering::Acquire) & (1 << mark) != 0
    }
}

type EventSlot = Arc<Slot<Event>>;

/// A live event in `state` with that mark.
fn event(state: State, mark: u64) -> EventSlot {
    let slot: EventSlot = live();
    slot.word.publish(slot.word.load().with_state(state as u64));
    slot.value.mark.store(mark, Ordering::Release);
    slot
}

/// An event whose record, with mark 1, is done; `state` says whether that is known.
fn reached_event(state: State) -> EventSlot {
    let slot = event(state, 1);
    slot.value.reach(1);
    slot
}

/// Records as the backends do, which keep the mark from being set in a later event; `None` simulates one that fails. Returns false if the event
/// was destroyed before.
fn record(slot: &Slot<Event>, mark: u64, outcome: Option<Recorded>) -> bool {
    let seen = slot.word.load();
    with_guard(slot, 1, || {
        slot.value.watched.touch();
        if outcome == Some(Recorded::Complete) {
            slot.value.reach(mark);
        }
        if outcome.is_some() {
            slot.value.mark.store(mark, Ordering::Release);
        }
        note(slot, seen, outcome);
    })
    .is_some()
}

fn spawn_record(slot: &EventSlot, mark: u64, outcome: Option<Recorded>) -> JoinHandle<()> {
    let slot = slot.clone();
    thread::spawn(move || assert!(record(&slot, mark, outcome)))
}

fn spawn_destroy(slot: &EventSlot) -> JoinHandle<()> {
    let slot = slot.clone();
    thread::spawn(move || assert!(destroy(&slot, 1)))
}

/// Queries under a guard, or while no thread can destroy the event.
fn query(slot: &Slot<Event>) -> Result<bool> {
    let Some((word, mark)) = read(slot, Op::Query, Event::mark)? else { return Ok(true) };
    let reached = slot.value.is_reached(mark);
    if reached {
        remember(slot, word);
    }
    Ok(reached)
}

/// Checks that the word remembers a completion only if the event is reached.
fn check(slot: &Slot<Event>) {
    let word = slot.word.load();
    let is_true = State::of(word) != State::Complete || slot.value.is_reached(slot.value.mark());
    assert!(is_true, "remembered as done, and it is not");
}

/// The event was destroyed, and recycled once.
fn check_recycled(slot: &Slot<Event>) {
    assert_eq!(slot.value.watched.touch(), 1, "an event is recycled once");
    assert!(!slot.word.load().is_live(), "a destroyed event lives");
}

/// The query may have read the word before the record and ask for the old mark, which is reached, or for the new one.
#[test]
fn record_against_query() {
    for known in [State::Pending, State::Complete] {
        two_threads(move || {
            let slot = reached_event(known);
            let recorder = spawn_record(&slot, 2, Some(Recorded::Pending));
            assert!(matches!(query(&slot), Ok(_)));
            recorder.join().expect("recorder");
            check(&slot);
            assert_eq!(query(&slot), Ok(false), "the record of mark 2 is not done");
        });
    }
}

/// A record of a destroyed event does not revive it.
#[test]
fn destroy_against_record_without_a_guard() {
    two_threads(|| {
        let slot = reached_event(State::Complete);
        let destroyer = spawn_destroy(&slot);
        let seen = slot.word.load();
        if seen.is_live() {
            // The native event has left the slot, so the driver's call touches nothing in it.
            note(&slot, seen, Some(Recorded::Pending));
        }
        destroyer.join().expect("destroyer");
        check_recycled(&slot);
    });
}

#[test]
fn first_record_against_query() {
    for (state, before) in [
        (State::Unrecorded, Ok(true)),
        (State::UnrecordedStrict, Err(Error::NotRecorded(crate::status::Status::ILLEGAL_STATE))),
    ] {
        two_threads(move || {
            let slot = event(state, 0);
            let recorder = spawn_record(&slot, 1, Some(Recorded::Pending));
            let answer = query(&slot);
            assert!(
                answer == before || answer == Ok(false),
                "neither as before the record nor as after it: {answer:?}"
            );
            recorder.join().expect("recorder");
            check(&slot);
            assert_eq!(query(&slot), Ok(false));
        });
    }
}

/// Only one of the marks is the last, and the record that ends last need not be the one that has set it.
#[test]
fn two_records_against_query() {
    three_threads(|| {
        let slot = reached_event(State::Pending);
        let recorders =
            [spawn_record(&slot, 2, Some(Recorded::Pending)), spawn_record(&slot, 3, Some(Recorded::Complete))];
        assert!(matches!(query(&slot), Ok(_)));
        recorders.into_iter().for_each(|recorder| recorder.join().expect("recorder"));
        check(&slot);
        let last = slot.value.mark();
        assert_eq!(query(&slot), Ok(slot.value.is_reached(last)));
    });
}

/// A record that fails changes neither the mark nor what is known of it.
#[test]
fn failing_record_against_query() {
    for (state, mark) in [(State::Unrecorded, 0), (State::Complete, 1), (State::Pending, 1), (State::Captured, 1)] {
        two_threads(move || {
            let slot = event(state, mark);
            if state != State::Captured {
                slot.value.reach(mark);
            }
            let recorder = spawn_record(&slot, 2, None);
            let answer = query(&slot);
            assert_eq!(answer, if state == State::Captured { Err(Error::Captured) } else { Ok(true) });
            recorder.join().expect("recorder");
            check(&slot);
            let after = State::of(slot.word.load());
            assert!(
                after == state || (state, after) == (State::Pending, State::Complete),
                "{state:?} became {after:?}"
            );
        });
    }
}

#[test]
fn failing_record_against_record() {
    two_threads(|| {
        let slot = reached_event(State::Complete);
        let failing = spawn_record(&slot, 2, None);
        assert!(record(&slot, 3, Some(Recorded::Pending)));
        assert_eq!(query(&slot), Ok(false), "the record of mark 3 is not done");
        failing.join().expect("failing recorder");
        check(&slot);
        assert_eq!(query(&slot), Ok(false), "a record that failed has undone another");
        slot.value.reach(3);
        assert_eq!(query(&slot), Ok(true));
        assert_eq!(State::of(slot.word.load()), State::Complete, "nothing is remembered any more");
    });
}

#[test]
fn destroy_against_record() {
    two_threads(|| {
        let slot = reached_event(State::Complete);
        let destroyer = spawn_destroy(&slot);
        record(&slot, 2, Some(Recorded::Complete));
        destroyer.join().expect("destroyer");
        check_recycled(&slot);
        assert!(!record(&slot, 3, Some(Recorded::Complete)), "a destroyed event was recorded");
    });
}

/// The record and the query both may be the last to use the event.
#[test]
fn destroy_against_record_and_query() {
    three_threads(|| {
        let slot = reached_event(State::Complete);
        let destroyer = spawn_destroy(&slot);
        let other = slot.clone();
        let user = thread::spawn(move || with_guard(&other, 1, || query(&other).is_ok()));
        record(&slot, 2, Some(Recorded::Complete));
        assert_ne!(user.join().expect("user"), Some(false));
        destroyer.join().expect("destroyer");
        check_recycled(&slot);
    });
}

/// The waiting thread keeps the event, and what it remembers at the end does not bring the event back to life.
#[test]
fn destroy_against_sync() {
    two_threads(|| {
        let slot = event(State::Pending, 1);
        let other = slot.clone();
        let destroyer = thread::spawn(move || {
            assert!(destroy(&other, 1));
            other.value.reached.fetch_or(1 << 1, Ordering::AcqRel);
        });
        with_guard(&slot, 1, || {
            let Ok(Some((word, mark))) = read(&slot, Op::Query, Event::mark) else { panic!("it is pending") };
            assert_eq!(mark, 1, "the mark of a recycled event");
            while !slot.value.is_reached(mark) {
                thread::yield_now();
            }
            assert_eq!(slot.value.mark(), 1, "recycled during the wait");
            remember(&slot, word);
        });
        destroyer.join().expect("destroyer");
        check_recycled(&slot);
    });
}

/// The event stays until the backend has accepted the wait.
#[test]
fn destroy_against_wait() {
    two_threads(|| {
        let slot = event(State::Pending, 1);
        let destroyer = spawn_destroy(&slot);
        with_guard(&slot, 1, || {
            let Ok(Some((_, mark))) = read(&slot, Op::Wait, Event::mark) else { panic!("it is pending") };
            assert_eq!((mark, slot.value.mark()), (1, 1), "recycled before the backend took the wait");
        });
        destroyer.join().expect("destroyer");
        check_recycled(&slot);
    });
}
