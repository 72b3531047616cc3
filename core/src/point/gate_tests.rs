use super::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32 as Count, Ordering::SeqCst};

fn own() -> &'static Gate {
    Box::leak(Box::default())
}

#[test]
fn a_round_is_opened_once_and_stays_what_it_was() {
    let used = own().begin_use();
    let first = used.round();
    assert_eq!(first.opened(), None);
    assert!(first.open(Status(719)) && !first.open(Status::SUCCESS));
    let second = first.next();
    assert_eq!((first.opened(), second.opened()), (Some(Status(719)), None));
    assert!(!first.open(Status::SUCCESS) && second.open(Status::SUCCESS));
    assert_eq!((first.opened(), second.opened()), (Some(Status(719)), Some(Status::SUCCESS)));
}

#[test]
fn the_last_use_opens_the_gate_with_a_failure() {
    let gate = own();
    let (one, round) = (gate.begin_use(), gate.state.load(SeqCst));
    let other = one.round().used();
    let seen = one.round();
    drop(one);
    assert_eq!((seen.opened(), gate.state.load(SeqCst)), (None, round));
    let parker = Parker::new();
    assert!(seen.notify(Waiter::Thread(parker.clone())).is_none());
    drop(other);
    assert_eq!(parker.park(None), Ok(true));
    // It is as new.
    assert_eq!((seen.opened(), gate.any_failed.load(SeqCst)), (Some(Status::SUCCESS), 0));
}

#[test]
fn failures_are_kept_for_those_who_use_the_gate() {
    let used = own().begin_use();
    let mut round = used.round();
    let other = round.used();
    let first = round;
    for n in 0..3 * KEPT as i32 {
        assert!(round.open(Status(700 + n)));
        round = round.next();
    }
    assert_eq!(first.opened(), Some(Status(700)));
    drop(other);
}

/// The lists do not grow, and a round is found as fast as before, while each round is used until after the next one began.
#[test]
fn failures_are_forgotten_though_some_round_is_always_in_use() {
    let owner = own().begin_use();
    let mut round = owner.round();
    let first = round.used();
    let mut before = None;
    const ROUNDS: i32 = if cfg!(miri) { 5 } else { 100 } * KEPT as i32;
    for n in 0..ROUNDS {
        let used = round.used();
        assert!(round.open(Status(700 + n)));
        round = round.next();
        assert_eq!(used.round().opened(), Some(Status(700 + n)));
        before = Some(used);
    }
    assert_eq!(first.round().opened(), Some(Status(700)));
    assert_eq!(before.and_then(|used| used.round().opened()), Some(Status(700 + ROUNDS - 1)));
    let known = first.round().gate.inner.lock().failed.len();
    assert!(known <= 4 * KEPT, "{known}");
}

#[test]
fn of_many_who_open_and_wait_each_is_served_once() {
    for _ in 0..if cfg!(miri) { 10 } else { 2000 } {
        let (used, opened, woken) = (own().begin_use(), Count::new(0), Arc::new(Count::new(0)));
        let round = used.round();
        std::thread::scope(|scope| {
            for status in [Status::SUCCESS, Status(1)] {
                let (opened, woken) = (&opened, woken.clone());
                scope.spawn(move || {
                    let parker = Parker::new();
                    if round.notify(Waiter::Thread(parker.clone())).is_some() || parker.park(None) == Ok(true) {
                        woken.fetch_add(1, SeqCst);
                    }
                    opened.fetch_add(round.open(status).into(), SeqCst);
                });
            }
            opened.fetch_add(round.open(Status(2)).into(), SeqCst);
        });
        assert_eq!((opened.load(SeqCst), woken.load(SeqCst)), (1, 2));
    }
}
