//! Tests of this module.

use super::*;

fn open(event: &TrackedEvent) {
    while !event.open(event.known.seen(), NO_DEVICE) {
        std::hint::spin_loop();
    }
}

/// Whoever has opened an event finds it alive until it destroys it, whatever others open and destroy at the address.
#[test]
fn an_event_lives_while_one_of_those_who_opened_it_has_it() {
    let event = TrackedEvent::new();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20_000 {
                    open(&event);
                    let record = event.known.begin(event.known.seen());
                    assert!(event.known.seen().is_live() && record.map(|it| event.known.end(it, false)).is_some());
                    assert!(event.end(event.known.seen()).is_some());
                }
            });
        }
    });
    assert!(!event.known.seen().is_live() && event.end(event.known.seen()).is_none());
}

#[test]
fn a_destroy_that_is_refused_is_still_to_come() {
    let event = TrackedEvent::new();
    open(&event);
    open(&event);
    assert!(matches!(event.end(event.known.seen()), Some(Ended::Open)));
    event.reopen();
    assert!(matches!(event.end(event.known.seen()), Some(Ended::Open)));
    let Some(Ended::Event(killed)) = event.end(event.known.seen()) else { panic!("it is the last one") };
    event.known.unkill(killed);
    assert!(matches!(event.end(event.known.seen()), Some(Ended::Event(_))) && event.end(event.known.seen()).is_none());
}
