use super::get;
use crate::table::Event;

#[test]
fn a_callback_that_was_refused_keeps_no_place() {
    const CALLS: usize = 1000;
    let promised = || get().due.0.lock().promised;
    let before = promised();
    for _ in 0..CALLS {
        assert!(Event::NULL.on_complete(|_| {}).is_err());
    }
    // Other tests make a few streams meanwhile.
    assert!(promised() < before + CALLS / 2, "places are lost");
}
