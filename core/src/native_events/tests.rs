use super::{Known, NativeEvent};

fn live() -> NativeEvent {
    let event = NativeEvent::new();
    event.revive();
    event
}

fn record(event: &NativeEvent, external: bool) {
    let record = event.begin().expect("it lives");
    event.end(record, external);
}

/// Asks, is told that the event is done, and tells whether that is remembered.
fn remembers(event: &NativeEvent) -> bool {
    let Known::Ask(seen) = event.look() else { panic!("nothing to ask") };
    event.remember(seen);
    matches!(event.look(), Known::Done)
}

#[test]
fn an_event_is_dead_until_it_is_issued() {
    let event = NativeEvent::new();
    assert!(!event.is_live() && !event.is_settled() && matches!(event.look(), Known::Dead));
    assert!(event.kill().is_none() && event.begin().is_none() && !event.ask_always());
    event.forget();
    assert!(!event.is_live());
    event.revive();
    assert!(event.is_live() && event.is_settled() && matches!(event.look(), Known::Done));
    assert!(event.is_unrecorded());
    assert!(event.kill().is_some() && !event.is_live() && !event.is_settled());
    assert!(event.kill().is_none());
    event.revive();
    assert!(event.is_settled());
}

#[test]
fn a_completion_is_remembered_until_the_next_record() {
    let event = live();
    record(&event, false);
    assert!(!event.is_settled() && remembers(&event) && event.is_settled() && !event.is_unrecorded());
    record(&event, false);
    assert!(!event.is_settled());
    let Known::Ask(seen) = event.look() else { panic!("it is pending") };
    record(&event, false);
    event.remember(seen);
    assert!(!event.is_settled(), "it was another record's completion");
}

#[test]
fn what_others_record_is_never_remembered() {
    let external = live();
    record(&external, true);
    let shared = live();
    assert!(shared.ask_always());
    let opened = NativeEvent::new();
    opened.revive_shared();
    for event in [external, shared, opened] {
        assert!(!remembers(&event));
        record(&event, false);
        assert!(!remembers(&event));
        event.revive();
        assert!(event.is_settled(), "it is another event");
    }
}

#[test]
fn what_is_forgotten_is_asked_for_again() {
    for recorded in [false, true] {
        let event = live();
        if recorded {
            record(&event, false);
            assert!(remembers(&event));
        }
        event.forget();
        assert!(!event.is_settled());
        let Known::Ask(seen) = event.look() else { panic!("nothing is known") };
        event.forget();
        event.remember(seen);
        assert!(!event.is_settled(), "it was asked before");
        assert!(remembers(&event));
    }
}

#[test]
fn a_refused_destroy_leaves_an_event_of_which_nothing_is_known() {
    let event = live();
    let record = event.begin().expect("it lives");
    let killed = event.kill().expect("it lives");
    event.unkill(killed);
    event.end(record, false);
    assert!(event.is_live() && !event.is_settled() && !remembers(&event));
    // Records in progress would else add up, and the next one wait for ever.
    for _ in 0..100 {
        let record = event.begin().expect("it lives");
        let killed = event.kill().expect("it lives");
        event.unkill(killed);
        event.end(record, false);
    }
    let late = event.kill().expect("it lives");
    event.revive();
    event.unkill(late);
    assert!(event.is_settled(), "the address was issued again");
}

#[test]
fn a_record_of_the_last_event_may_reach_the_next() {
    let event = live();
    let record = event.begin().expect("it lives");
    assert!(event.kill().is_some());
    event.end(record, false);
    event.revive();
    assert!(!event.is_settled() && !remembers(&event));
}
