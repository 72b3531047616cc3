//! Tests of this module.

use super::*;

fn open(event: &Tracked) {
    assert!(event.open(event.known.seen(), NO_DEVICE));
}

#[test]
fn an_event_that_is_opened_once_ends_with_its_destroy() {
    let event = Tracked::new();
    open(&event);
    let Some(Some(killed)) = event.end(event.known.seen()) else { panic!("it is the last one") };
    event.known.unkill(killed);
    assert!(matches!(event.end(event.known.seen()), Some(Some(_))) && event.end(event.known.seen()).is_none());
}

/// Another caller may still have it open, so the driver alone knows its end.
#[test]
fn an_event_that_is_opened_again_does_not_end_with_a_destroy() {
    let event = Tracked::new();
    open(&event);
    open(&event);
    assert!((0..3).all(|_| matches!(event.end(event.known.seen()), Some(None))) && event.known.seen().is_live());
    assert!(event.revive(event.known.seen(), 0, NO_DEVICE, false));
    assert!(matches!(event.end(event.known.seen()), Some(Some(_))) && event.end(event.known.seen()).is_none());
}
