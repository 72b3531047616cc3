//! Processes that meet in a page: each test is one meeting, which loom runs in all orders of their steps. To loom a process is
//! a thread.

use super::page::{Outcome, Page};
use crate::status::Status;
use crate::table::loom_tests::{three_threads, two_threads};
use loom::sync::Arc;
use loom::thread;

fn begin(page: &Page, peer: u32) -> u64 {
    let ticket = page.begin(peer, |_| false).expect("there is room");
    page.record(ticket);
    ticket
}

/// A page in which the peer of number 0 has a pending record, and its ticket.
fn with_a_pending_record() -> (Arc<Page>, u64) {
    let page = Page::new();
    let ticket = begin(&page, 0);
    (Arc::new(page), ticket)
}

#[test]
fn a_record_is_finished_while_others_are_made() {
    for done in [true, false] {
        three_threads(move || {
            let (page, ticket) = with_a_pending_record();
            let [first, second] = [page.clone(), page.clone()];
            let pending = thread::spawn(move || begin(&first, 1));
            let quick = thread::spawn(move || second.record(0));
            page.finish(ticket, 0, if done { Status::SUCCESS } else { Status::CONTEXT_IS_DESTROYED });
            let other = pending.join().expect("it ends");
            quick.join().expect("it ends");
            let outcome = page.outcome(ticket);
            assert_eq!(outcome, if done { Outcome::Done } else { Outcome::Lost });
            assert_eq!(page.outcome(other), Outcome::Pending(1));
            assert!([0, other].contains(&page.last()));
        });
    }
}

#[test]
fn records_that_come_at_once_have_places_of_their_own() {
    two_threads(|| {
        let page = Arc::new(Page::new());
        let peer = page.clone();
        let other = thread::spawn(move || begin(&peer, 1));
        let mine = begin(&page, 0);
        assert_eq!(page.outcome(mine), Outcome::Pending(0));
        let theirs = other.join().expect("it ends");
        assert_eq!([mine, theirs].map(|ticket| page.outcome(ticket)), [Outcome::Pending(0), Outcome::Pending(1)]);
        assert!([mine, theirs].contains(&page.last()));
        assert!(page.begin(0, |_| false).is_none());
    });
}

#[test]
fn a_place_that_is_used_again_tells_of_the_record_before() {
    two_threads(|| {
        let (page, ticket) = with_a_pending_record();
        let peer = page.clone();
        let other = thread::spawn(move || {
            // The first record's place, or the other one.
            let next = begin(&peer, 1);
            peer.finish(next, 1, Status::CONTEXT_IS_DESTROYED);
            next
        });
        page.finish(ticket, 0, Status::SUCCESS);
        assert_eq!(page.outcome(ticket), Outcome::Done);
        let next = other.join().expect("it ends");
        assert_eq!([ticket, next].map(|ticket| page.outcome(ticket)), [Outcome::Done, Outcome::Lost]);
        let [third, fourth] = [begin(&page, 0), page.begin(0, |_| false).expect("the failed one gives way")];
        assert_eq!(
            [next, third, fourth].map(|ticket| page.outcome(ticket)),
            [Outcome::Lost, Outcome::Pending(0), Outcome::Pending(0)]
        );
    });
}

#[test]
fn nobody_sleeps_through_a_finish() {
    two_threads(|| {
        let (page, ticket) = with_a_pending_record();
        let peer = page.clone();
        let waiter = thread::spawn(move || {
            let bell = peer.listen();
            (peer.outcome(ticket) != Outcome::Done).then_some(bell)
        });
        page.finish(ticket, 0, Status::SUCCESS);
        let rang = page.ring();
        if let Some(bell) = waiter.join().expect("it ends") {
            assert!(rang && page.number_of_bell() != bell);
        }
    });
}

#[test]
fn nor_where_another_record_is_finished_at_the_same_time() {
    three_threads(|| {
        let (page, ticket) = with_a_pending_record();
        let second = begin(&page, 1);
        let [sleeper, ringer] = [page.clone(), page.clone()];
        let waiter = thread::spawn(move || {
            let bell = sleeper.listen();
            (sleeper.outcome(ticket) != Outcome::Done).then_some(bell)
        });
        let other = thread::spawn(move || {
            ringer.finish(second, 1, Status::SUCCESS);
            ringer.ring()
        });
        page.finish(ticket, 0, Status::SUCCESS);
        let rang = page.ring();
        let rang = other.join().expect("it ends") || rang;
        if let Some(bell) = waiter.join().expect("it ends") {
            assert!(rang && page.number_of_bell() != bell);
        }
    });
}
