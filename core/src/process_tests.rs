use super::*;
use std::cell::Cell;

#[test]
fn a_first_use_between_any_two_readings_is_no_fork() {
    // How many readings come before the flags are set, and before the flag is, which follows.
    for before_flags in 0..5 {
        for before_use in before_flags..5 {
            let readings = Cell::new(0);
            let is_set_after = |count| readings.replace(readings.get() + 1) >= count;
            let flags = || if is_set_after(before_flags) { IN_USE } else { 0 };
            let answer = means_fork(flags, || is_set_after(before_use));
            assert!(!answer, "set after {before_flags} and {before_use} readings");
        }
    }
}

#[test]
fn a_loss_is_settled_unless_another_comes_meanwhile() {
    let (flags, losses) = (AtomicU32::new(IN_USE | CONTEXT_LOST), AtomicU32::new(1));
    settle(&flags, &losses, || {
        losses.fetch_add(1, Ordering::SeqCst);
    });
    assert_eq!(flags.load(Ordering::SeqCst), IN_USE | CONTEXT_LOST);
    settle(&flags, &losses, || {});
    assert_eq!(flags.load(Ordering::SeqCst), IN_USE);
}

#[test]
fn a_page_that_was_wiped_after_the_first_use_means_a_fork() {
    assert!(means_fork(|| 0, || true));
    assert!(means_fork(|| FORKED, || false));
    assert!(means_fork(|| FORKED | IN_USE | EXITING, || true));
    assert!(!means_fork(|| 0, || false));
    assert!(!means_fork(|| EXITING | CONTEXT_LOST | IN_USE, || true));
}
