//! Interleavings of opening, waiting for, and leaving a gate, one per test. A lost waiter stays parked forever, which
//! loom reports as a deadlock.

use super::*;
use crate::table::loom_tests::{three_threads, two_threads};
use loom::thread;

const GONE: Status = Status::CONTEXT_IS_DESTROYED;

fn gate() -> GateUse {
    let gate: &'static Gate = Box::leak(Box::default());
    gate.begin_use()
}

/// Waits as a thread does; returns how the round was opened.
fn wait(used: &GateUse) -> Option<Status> {
    let parker = Parker::new();
    if used.round().notify(Waiter::Thread(parker.clone())).is_none() {
        let _ = parker.park(None);
    }
    used.round().opened()
}

#[test]
fn open_against_a_wait() {
    two_threads(|| {
        let owner = gate();
        let waiting = owner.round().used();
        let opener = thread::spawn(move || owner.round().open(Status(7)));
        assert_eq!(wait(&waiting), Some(Status(7)));
        assert_eq!(opener.join().expect("it ends"), true);
    });
}

#[test]
fn two_open_and_one_waits() {
    three_threads(|| {
        let owner = gate();
        let [one, other] = [(), ()].map(|()| owner.round().used());
        let first = thread::spawn(move || one.round().open(Status(1)));
        let second = thread::spawn(move || other.round().open(GONE));
        let seen = wait(&owner);
        let opened = [first, second].map(|thread| thread.join().expect("it ends"));
        assert_eq!(opened.iter().filter(|opened| **opened).count(), 1, "a gate opens once");
        assert_eq!(seen, Some(if opened[0] { Status(1) } else { GONE }));
    });
}

/// The program signals, the event is destroyed, and a thread waits.
#[test]
fn open_against_a_wait_against_a_destroy() {
    three_threads(|| {
        let owner = gate();
        let (waiting, signalling) = (owner.round().used(), owner.round().used());
        let signal = thread::spawn(move || signalling.round().open(Status::SUCCESS));
        let destroy = thread::spawn(move || {
            owner.round().open(GONE);
            drop(owner);
        });
        let seen = wait(&waiting);
        let signalled = signal.join().expect("it ends");
        destroy.join().expect("it ends");
        assert_eq!(seen, Some(if signalled { Status::SUCCESS } else { GONE }));
    });
}

/// The last thread to leave opens the gate for a waiter that holds no reference.
#[test]
fn the_last_use_ends_against_an_open() {
    two_threads(|| {
        let owner = gate();
        let (other, round) = (owner.round().used(), owner.round());
        let leaving = thread::spawn(move || drop(other));
        round.open(Status::SUCCESS);
        drop(owner);
        leaving.join().expect("it ends");
        assert!(round.opened().is_some());
    });
}

/// A wait for one round ends, regardless of the next one.
#[test]
fn a_reset_against_a_wait() {
    two_threads(|| {
        let owner = gate();
        let waiting = owner.round().used();
        let other = thread::spawn(move || {
            assert!(owner.round().open(Status(5)));
            let next = owner.round().next();
            assert!(next.open(Status::SUCCESS));
            drop(owner);
        });
        assert_eq!(wait(&waiting), Some(Status(5)));
        other.join().expect("it ends");
    });
}
