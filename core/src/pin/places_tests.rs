use super::*;
use std::sync::mpsc::channel;
use std::thread;

/// Objects that no test pins but the one that has taken them.
fn are_pinned(objects: [u64; 4]) -> [bool; 4] {
    objects.map(|object| scan().has(object))
}

#[test]
fn a_pin_is_seen_until_it_is_dropped() {
    let (pinned, look) = channel();
    let (proceed, go) = channel::<()>();
    let thread = thread::spawn(move || {
        let first = Pin::new([11, 12]);
        assert_eq!(first.is_some(), os::has_barrier_of_process());
        let second = Pin::of(13);
        let _ = pinned.send(());
        let _ = go.recv();
        drop((first, second));
        let _ = pinned.send(());
        let _ = go.recv();
    });
    look.recv().expect("it runs");
    assert_eq!(are_pinned([10, 11, 12, 13]), [false, true, true, true].map(|is| is && os::has_barrier_of_process()));
    let _ = proceed.send(());
    look.recv().expect("it runs");
    assert_eq!(are_pinned([10, 11, 12, 13]), [false; 4]);
    drop(proceed);
    thread.join().expect("it ends");
}

/// A thread that is cancelled inside a call drops no pin.
#[test]
fn the_pins_of_a_thread_end_with_it() {
    thread::spawn(|| std::mem::forget(Pin::of(14))).join().expect("it ends");
    assert!(!scan().has(14));
}

#[test]
fn a_thread_has_as_many_pins_as_it_wants() {
    const FIRST: u64 = 1 << 20;
    let mut pins: Vec<_> = (0..8).map(|more| Pin::of(FIRST + more)).collect();
    assert!(pins.iter().all(Option::is_some));
    let pinned = || (0..8).filter(|more| scan().has(FIRST + more)).collect::<Vec<_>>();
    assert_eq!(pinned(), [0, 1, 2, 3, 4, 5, 6, 7]);
    pins.remove(6);
    pins.remove(1);
    assert_eq!(pinned(), [0, 2, 3, 4, 5, 7]);
    drop(pins);
    assert_eq!(pinned(), []);
}
