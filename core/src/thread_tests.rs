use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn functions_run_once_when_their_thread_ends() {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    fn again() {
        RUNS.fetch_add(10, Ordering::Relaxed);
    }
    fn end() {
        RUNS.fetch_add(1, Ordering::Relaxed);
        assert!(at_end(again));
    }
    let thread = std::thread::spawn(|| {
        assert!(at_end(end) && at_end(end));
        RUNS.load(Ordering::Relaxed)
    });
    assert_eq!(thread.join().expect("it ends"), 0);
    assert_eq!(RUNS.load(Ordering::Relaxed), 11);
}
