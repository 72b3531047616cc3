use super::*;
use crate::workers::Parker;

#[test]
fn a_gate_is_opened_once() {
    let gate = Gate::new();
    assert_eq!(gate.opened(), None);
    assert!(gate.open(Status(-719)) && !gate.open(Status::SUCCESS));
    assert_eq!(gate.opened(), Some(Status(-719)));
    assert!(gate.notify(Waiter::Thread(Parker::new())).is_some());
}

#[test]
fn an_opener_that_is_dropped_opens_with_a_failure() {
    let (gate, opener) = Gate::with_opener();
    let parker = Parker::new();
    assert!(gate.notify(Waiter::Thread(parker.clone())).is_none());
    drop(opener);
    assert_eq!((parker.park(None), gate.opened()), (Ok(true), Some(Status::CONTEXT_IS_DESTROYED)));
}
