//! Events at addresses that a driver gives out: each test is one meeting of threads, which loom runs in all orders of their
//! steps. The driver's side of an event is one number: what its last record is, and whether it is done.

use super::NativeEvent;
use crate::sync::{AtomicU64, Ordering};
use crate::table::loom_tests::{three_threads, two_threads};
use loom::sync::Arc;
use loom::thread;

const UNRECORDED: u64 = 0;
const PENDING: u64 = 1;
const DONE: u64 = 2;
const CONTEXT_GONE: u64 = 3;

struct Event {
    known: NativeEvent,
    driver: AtomicU64,
}

/// A live event, and the driver's state of it.
fn event(driver: u64) -> Arc<Event> {
    let event = Event { known: NativeEvent::new(), driver: AtomicU64::new(driver) };
    revive(&event.known);
    if driver != UNRECORDED {
        let record = event.known.begin(event.known.seen()).expect("it lives");
        event.known.end(record, false);
    }
    Arc::new(event)
}

/// Issues the address again, concurrently with calls on the old event.
fn revive(known: &NativeEvent) {
    while !known.revive(known.seen(), false) {
        thread::yield_now();
    }
}

impl Event {
    fn record(&self) {
        if let Some(record) = self.known.begin(self.known.seen()) {
            self.driver.store(PENDING, Ordering::Release);
            self.known.end(record, false);
        }
    }

    fn query(&self) -> bool {
        let seen = self.known.seen();
        if seen.is_done() || !seen.is_live() {
            return seen.is_live();
        }
        let done = matches!(self.driver.load(Ordering::Acquire), UNRECORDED | DONE);
        if done {
            self.known.remember(seen);
        }
        done
    }

    fn reissue(&self) {
        drop(self.known.kill(self.known.seen()).expect("only this thread destroys it"));
        self.driver.store(UNRECORDED, Ordering::Release);
        revive(&self.known);
    }

    /// An answer from memory matches the driver's.
    fn check(&self) {
        let done = matches!(self.driver.load(Ordering::Acquire), UNRECORDED | DONE);
        assert!(done || !self.known.seen().is_done(), "remembered as done, and it is not");
        assert!(done || !self.known.seen().is_complete(), "settled, and it is not");
    }
}

/// The record may meet the old event or the new one, and end before the new one is known or after.
#[test]
fn record_against_reissue() {
    two_threads(|| {
        let event = event(DONE);
        let other = event.clone();
        let recorder = thread::spawn(move || other.record());
        event.reissue();
        recorder.join().expect("recorder");
        event.check();
    });
}

#[test]
fn record_against_query() {
    two_threads(|| {
        let event = event(DONE);
        let other = event.clone();
        let recorder = thread::spawn(move || other.record());
        event.query();
        recorder.join().expect("recorder");
        event.check();
    });
}

/// A query that saw the event as done before the context went must not remember it afterwards.
#[test]
fn forget_against_query_and_record() {
    three_threads(|| {
        let event = event(DONE);
        let (asker, recorder) = (event.clone(), event.clone());
        let asker = thread::spawn(move || asker.query());
        let recorder = thread::spawn(move || {
            let record = recorder.known.begin(recorder.known.seen()).expect("nobody destroys it");
            recorder.known.end(record, false);
        });
        event.driver.store(CONTEXT_GONE, Ordering::Release);
        event.known.forget();
        asker.join().expect("asker");
        recorder.join().expect("recorder");
        event.check();
    });
}

/// The driver refuses to destroy an event during a record.
#[test]
fn refused_destroy_against_record() {
    two_threads(|| {
        let event = event(DONE);
        let other = event.clone();
        let recorder = thread::spawn(move || other.record());
        let killed = event.known.kill(event.known.seen()).expect("only this thread destroys it");
        event.known.unkill(killed);
        recorder.join().expect("recorder");
        event.check();
        assert!(event.known.seen().is_live());
        event.record();
        event.check();
    });
}

/// One of two threads destroys an event, and a refusal that comes late does not touch the next one.
#[test]
fn destroy_against_destroy_and_reissue() {
    two_threads(|| {
        let event = event(DONE);
        let other = event.clone();
        let destroyer = thread::spawn(move || {
            let killed = other.known.kill(other.known.seen());
            let was_mine = killed.is_some();
            if let Some(killed) = killed {
                other.known.unkill(killed);
            }
            was_mine
        });
        let mine = event.known.kill(event.known.seen());
        revive(&event.known);
        let theirs = destroyer.join().expect("destroyer");
        assert!(mine.is_some() || theirs, "nobody destroyed it");
        assert!(event.known.seen().is_live());
    });
}

/// One more record than the word can count waits until another has ended.
#[test]
fn record_against_as_many_as_can_be() {
    two_threads(|| {
        let event = event(DONE);
        let mut records = Vec::new();
        while !event.known.seen().0.is_full() {
            records.extend(event.known.begin(event.known.seen()));
        }
        let other = event.clone();
        let recorder = thread::spawn(move || other.record());
        let first = records.remove(0);
        event.known.end(first, false);
        recorder.join().expect("recorder");
        assert_eq!(event.known.seen().0.recording(), records.len() as u64);
        records.into_iter().for_each(|record| event.known.end(record, false));
        event.check();
    });
}
