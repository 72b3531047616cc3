use super::NativeEvent;
use crate::table::Word;

fn live() -> NativeEvent {
    let event = NativeEvent::new();
    assert!(event.revive(event.seen(), false));
    event
}

fn is_done(event: &NativeEvent) -> bool {
    event.seen().is_done()
}

fn record(event: &NativeEvent, external: bool) {
    let record = event.begin(event.seen()).expect("it lives");
    event.end(record, external);
}

/// Asks, learns that the event is done, and returns whether that is remembered.
fn remembers(event: &NativeEvent) -> bool {
    let seen = event.seen();
    assert!(seen.is_live() && !seen.is_done(), "there is something to ask");
    event.remember(seen);
    event.seen().is_done()
}

#[test]
fn an_event_is_dead_until_it_is_issued() {
    let event = NativeEvent::new();
    assert!(!event.seen().is_live() && !is_done(&event));
    assert!(
        event.kill(event.seen()).is_none() && event.begin(event.seen()).is_none() && !event.ask_always(event.seen())
    );
    event.forget();
    assert!(!event.seen().is_live());
    assert!(event.revive(event.seen(), false));
    assert!(event.seen().is_live() && is_done(&event));
    assert!(event.seen().is_unrecorded());
    assert!(event.kill(event.seen()).is_some() && !event.seen().is_live() && !is_done(&event));
    assert!(event.kill(event.seen()).is_none());
    assert!(event.revive(event.seen(), false));
    assert!(is_done(&event));
}

#[test]
fn a_completion_is_remembered_until_the_next_record() {
    let event = live();
    record(&event, false);
    assert!(!is_done(&event) && remembers(&event) && is_done(&event) && !event.seen().is_unrecorded());
    record(&event, false);
    assert!(!is_done(&event));
    let seen = event.seen();
    assert!(seen.is_live() && !seen.is_done(), "it is pending");
    record(&event, false);
    event.remember(seen);
    assert!(!is_done(&event), "it was another record's completion");
}

#[test]
fn what_others_record_is_never_remembered() {
    let external = live();
    record(&external, true);
    let shared = live();
    assert!(shared.ask_always(shared.seen()));
    let opened = NativeEvent::new();
    assert!(opened.revive(opened.seen(), true));
    for event in [external, shared, opened] {
        assert!(!remembers(&event));
        record(&event, false);
        assert!(!remembers(&event));
        assert!(event.revive(event.seen(), false));
        assert!(is_done(&event), "it is another event");
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
        assert!(!is_done(&event));
        let seen = event.seen();
        assert!(seen.is_live() && !seen.is_done(), "nothing is known");
        event.forget();
        event.remember(seen);
        assert!(!is_done(&event), "it was asked before");
        assert!(remembers(&event));
    }
}

#[test]
fn a_refused_destroy_leaves_an_event_of_which_nothing_is_known() {
    let event = live();
    let record = event.begin(event.seen()).expect("it lives");
    let killed = event.kill(event.seen()).expect("it lives");
    event.unkill(killed);
    event.end(record, false);
    assert!(event.seen().is_live() && !is_done(&event) && !remembers(&event));
    // Records in progress would else add up, and the next one wait forever.
    for _ in 0..100 {
        let record = event.begin(event.seen()).expect("it lives");
        let killed = event.kill(event.seen()).expect("it lives");
        event.unkill(killed);
        event.end(record, false);
    }
    let late = event.kill(event.seen()).expect("it lives");
    assert!(event.revive(event.seen(), false));
    event.unkill(late);
    assert!(is_done(&event), "the address was issued again");
}

#[test]
fn a_record_of_the_last_event_may_reach_the_next() {
    let event = live();
    let record = event.begin(event.seen()).expect("it lives");
    assert!(event.kill(event.seen()).is_some());
    event.end(record, false);
    assert!(event.revive(event.seen(), false));
    assert!(!is_done(&event) && !remembers(&event));
}

#[test]
fn only_the_place_of_a_dead_event_is_freed() {
    let event = live();
    assert!(!event.free());
    let killed = event.seen();
    assert!(event.kill(killed).is_some() && event.free() && !event.free());
    assert!(!event.revive(killed, false), "the place was freed since");
    assert!(event.revive(event.seen(), false) && is_done(&event));
    let record = event.begin(event.seen()).expect("it lives");
    assert!(event.kill(event.seen()).is_some() && !event.free(), "a record has not ended");
    event.end(record, false);
}

#[test]
fn an_event_without_a_record_is_confirmed_once() {
    let event = live();
    let seen = event.seen();
    assert!(seen.is_unrecorded() && !seen.is_complete());
    event.remember(seen);
    assert!(event.seen().is_complete() && event.seen().is_unrecorded());
    record(&event, false);
    assert!(!event.seen().is_complete() && !event.seen().is_unrecorded());
    let late = live();
    let seen = late.seen();
    let begun = late.begin(seen).expect("it lives");
    late.remember(seen);
    assert!(!late.seen().is_complete(), "a record has begun since");
    late.end(begun, false);
    let shared = live();
    assert!(shared.ask_always(shared.seen()));
    shared.remember(shared.seen());
    assert!(!shared.seen().is_complete());
}

#[test]
fn an_event_with_more_records_than_the_word_counts_was_recorded() {
    let at_the_end_of_the_count = || {
        let event = live();
        record(&event, false);
        event.0.word.publish(event.seen().0.with_records(Word::MAX_RECORDS));
        event
    };
    let event = at_the_end_of_the_count();
    record(&event, false);
    assert!(remembers(&event) && !event.seen().is_unrecorded());
    let forgotten = at_the_end_of_the_count();
    forgotten.forget();
    assert!(remembers(&forgotten) && !forgotten.seen().is_unrecorded());
}

#[test]
fn an_event_whose_first_record_is_in_progress_may_be_recorded() {
    let event = live();
    let record = event.begin(event.seen()).expect("it lives");
    assert!(!event.seen().is_unrecorded());
    event.end(record, false);
}
