use super::*;
use std::sync::mpsc::channel;

#[test]
fn a_thread_that_sleeps_wants_no_core() {
    assert_eq!(ThreadClock::of_this_thread().wants_core(), Some(true));
    let (sender, receiver) = channel();
    let (stop, stopped) = channel::<()>();
    let thread = std::thread::spawn(move || {
        let _ = sender.send(ThreadClock::of_this_thread());
        let _ = stopped.recv();
    });
    let clock = receiver.recv().expect("the thread runs");
    while clock.wants_core() != Some(false) {
        std::thread::yield_now();
    }
    let used = clock.used().expect("it lives");
    assert!(used > Duration::ZERO && clock.used() == Some(used), "it runs");
    drop(stop);
    thread.join().expect("it ends");
    assert_eq!(ThreadClock { clock: None, number: libc::pid_t::MAX }.wants_core(), None);
}
