use super::*;

#[test]
fn the_timers_of_a_thread_are_as_before_afterwards() {
    let slack = || timer_slack(None);
    let before = slack();
    let fine = FineTimer::new();
    assert_eq!(slack(), FineTimer::NANOSECONDS as libc::c_int);
    drop(fine);
    assert_eq!(slack(), before);
}
