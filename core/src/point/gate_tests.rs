use super::*;
use std::sync::atomic::{AtomicU32 as Count, Ordering::SeqCst};

#[test]
fn a_gate_is_opened_once() {
    let gate = Gate::new();
    assert_eq!(gate.opened(), None);
    assert!(gate.open(Status(-719)) && !gate.open(Status::SUCCESS));
    assert_eq!(gate.opened(), Some(Status(-719)));
    assert!(gate.notify(Waiter::Thread(Parker::new())).is_some());
}

#[test]
fn a_thread_that_is_forgotten_is_not_kept() {
    let (gate, parker) = (Gate::new(), Parker::new());
    assert!(gate.notify(Waiter::Thread(parker.clone())).is_none());
    gate.forget(&parker);
    assert_eq!(std::sync::Arc::strong_count(&parker), 1);
}

#[test]
fn an_opener_that_is_dropped_opens_with_a_failure() {
    let (gate, opener) = Gate::of_backend();
    let parker = Parker::new();
    assert!(gate.notify(Waiter::Thread(parker.clone())).is_none());
    drop(opener);
    assert_eq!((parker.park(None), gate.opened()), (Ok(true), Some(Status::CONTEXT_IS_DESTROYED)));
}

#[test]
fn of_many_who_open_and_wait_each_is_served_once() {
    for _ in 0..if cfg!(miri) { 10 } else { 2000 } {
        let (gate, opened, woken) = (Gate::new(), Count::new(0), Count::new(0));
        std::thread::scope(|scope| {
            for status in [Status::SUCCESS, Status(1)] {
                let (gate, opened, woken) = (&gate, &opened, &woken);
                scope.spawn(move || {
                    let parker = Parker::new();
                    if gate.notify(Waiter::Thread(parker.clone())).is_some() || parker.park(None) == Ok(true) {
                        woken.fetch_add(1, SeqCst);
                    }
                    opened.fetch_add(gate.open(status).into(), SeqCst);
                });
            }
            opened.fetch_add(gate.open(Status(2)).into(), SeqCst);
        });
        assert_eq!((opened.load(SeqCst), woken.load(SeqCst)), (1, 2));
    }
}
