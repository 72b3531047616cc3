//! Interleavings of opening, waiting for, and leaving a gate, one per test. A lost waiter stays parked forever, which
//! loom reports as a deadlock.

use super::*;
use crate::table::loom_tests::{three_threads, two_threads};
use crate::workers::Parker;
use loom::thread;

const GONE: Status = Status::CONTEXT_IS_DESTROYED;

/// Waits as a thread does; returns how the gate was opened.
fn wait(gate: &Gate) -> Option<Status> {
    let parker = Parker::new();
    if gate.notify(Waiter::Thread(parker.clone())).is_none() {
        let _ = parker.park(None);
    }
    gate.opened()
}

#[test]
fn open_against_a_wait() {
    two_threads(|| {
        let owner = Gate::new();
        let waiting = owner.clone();
        let opener = thread::spawn(move || owner.open(Status(7)));
        assert_eq!(wait(&waiting), Some(Status(7)));
        assert_eq!(opener.join().expect("it ends"), true);
    });
}

#[test]
fn two_open_and_one_waits() {
    three_threads(|| {
        let owner = Gate::new();
        let [one, other] = [(), ()].map(|()| owner.clone());
        let first = thread::spawn(move || one.open(Status(1)));
        let second = thread::spawn(move || other.open(GONE));
        let seen = wait(&owner);
        let opened = [first, second].map(|thread| thread.join().expect("it ends"));
        assert_eq!(opened.iter().filter(|opened| **opened).count(), 1, "a gate opens once");
        assert_eq!(seen, Some(if opened[0] { Status(1) } else { GONE }));
    });
}
