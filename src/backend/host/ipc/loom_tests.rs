//! Processes that meet in a page: each test is one meeting, which loom runs in all orders of their steps. To loom a process is
//! a thread.

use super::page::{Outcome, Page};
use crate::table::loom_tests::{three_threads, two_threads};
use loom::sync::Arc;
use loom::thread;

/// A page in which the peer of number 0 has a pending record, of ticket 1.
fn with_a_pending_record() -> Arc<Page> {
    let page = Page::new();
    assert_eq!(page.begin(0, false), 1);
    Arc::new(page)
}

#[test]
fn a_record_is_finished_while_another_replaces_it() {
    for done in [true, false] {
        two_threads(move || {
            let page = with_a_pending_record();
            let peer = page.clone();
            let other = thread::spawn(move || peer.begin(1, false));
            page.finish(1, 0, done);
            assert_eq!(other.join().expect("it ends"), 2);
            assert_eq!(page.outcome(1), if done { Outcome::Done } else { Outcome::Failed });
            assert_eq!(page.outcome(2), Outcome::Pending(1));
        });
    }
}

#[test]
fn a_process_that_comes_late_does_not_bring_a_finished_record_back() {
    three_threads(|| {
        let page = with_a_pending_record();
        let [first, second] = [page.clone(), page.clone()];
        let late = thread::spawn(move || first.begin(1, false));
        let quick = thread::spawn(move || second.begin(1, true));
        page.finish(1, 0, true);
        assert_eq!(page.outcome(1), Outcome::Done);
        let tickets = [late.join().expect("it ends"), quick.join().expect("it ends")];
        assert!(tickets == [2, 3] || tickets == [3, 2]);
        assert_eq!(page.outcome(1), Outcome::Done);
        assert_eq!(page.outcome(tickets[0]), Outcome::Pending(1));
        assert_eq!(page.outcome(tickets[1]), Outcome::Done);
    });
}

#[test]
fn records_that_come_at_once_are_all_known() {
    two_threads(|| {
        let page = Arc::new(Page::new());
        let peer = page.clone();
        let other = thread::spawn(move || {
            let ticket = peer.begin(1, false);
            peer.finish(ticket, 1, true);
            ticket
        });
        let mine = page.begin(0, false);
        assert_eq!(page.outcome(mine), Outcome::Pending(0));
        let theirs = other.join().expect("it ends");
        assert_eq!((mine + theirs, page.last()), (3, 2));
        assert_eq!(page.outcome(theirs), Outcome::Done);
        assert_eq!(page.outcome(mine), Outcome::Pending(0));
    });
}

#[test]
fn nobody_sleeps_through_a_finish() {
    two_threads(|| {
        let page = with_a_pending_record();
        let peer = page.clone();
        let waiter = thread::spawn(move || {
            let bell = peer.listen();
            (peer.outcome(1) != Outcome::Done).then_some(bell)
        });
        page.finish(1, 0, true);
        let rang = page.ring();
        if let Some(bell) = waiter.join().expect("it ends") {
            assert!(rang && page.number_of_bell() != bell);
        }
    });
}

#[test]
fn two_that_sleep_and_two_that_ring() {
    three_threads(|| {
        let page = with_a_pending_record();
        let waits = |page: &Arc<Page>| {
            let page = page.clone();
            thread::spawn(move || {
                let bell = page.listen();
                (page.outcome(1) != Outcome::Done).then_some(bell)
            })
        };
        let waiter = waits(&page);
        let peer = page.clone();
        let ringer = thread::spawn(move || {
            peer.begin(1, true);
            peer.ring()
        });
        page.finish(1, 0, true);
        let rang = page.ring();
        let rang = ringer.join().expect("it ends") || rang;
        if let Some(bell) = waiter.join().expect("it ends") {
            assert!(rang && page.number_of_bell() != bell);
        }
    });
}

#[test]
fn processes_that_enter_at_once_get_numbers_of_their_own() {
    two_threads(|| {
        let page = Arc::new(Page::new());
        let peer = page.clone();
        let other = thread::spawn(move || peer.enter(20, |_| false));
        let mine = page.enter(10, |_| false).expect("there is room");
        let theirs = other.join().expect("it ends").expect("there is room");
        assert_ne!(mine, theirs);
        assert_eq!((page.peer(mine), page.peer(theirs)), (10, 20));
        assert_eq!(page.enter(10, |_| false), Some(mine));
        assert_eq!(page.enter(30, |_| false), None);
    });
}

#[test]
fn the_number_of_one_that_is_waited_for_is_not_used_again() {
    two_threads(|| {
        let page = with_a_pending_record();
        assert_eq!([page.enter(10, |_| false), page.enter(20, |_| false)], [Some(0), Some(1)]);
        let peer = page.clone();
        // The record moves from one place to another while it is looked for.
        let other = thread::spawn(move || peer.begin(1, true));
        assert_eq!(page.enter(30, |other| other == 10), None);
        other.join().expect("it ends");
        page.finish(1, 0, true);
        assert_eq!(page.enter(30, |other| other == 10), Some(0));
    });
}
