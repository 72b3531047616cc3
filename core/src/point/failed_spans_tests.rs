use super::*;
use crate::status::Status;

fn error(n: u64) -> Error {
    Error::EventFailed(Status(n as i32))
}

/// Fails after each tenth position, for two positions.
fn fail(failures: &FailedSpans, numbers: std::ops::Range<u64>) {
    for n in numbers {
        failures.begin(10 * n, error(n));
        assert!(failures.end(|| 10 * n + 2).is_some());
    }
}

fn spans(failures: &FailedSpans) -> usize {
    failures.spans.lock().len()
}

#[test]
fn a_failure_lasts_from_its_begin_to_its_end() {
    let failures = FailedSpans::default();
    assert_eq!((failures.end(|| 3), failures.at(u64::MAX)), (None, None));
    failures.begin(4, error(1));
    failures.begin(6, error(2));
    assert_eq!((failures.open(), failures.at(u64::MAX)), (Some(error(1)), Some(error(1))));
    assert_eq!((failures.end(|| 8), failures.open(), failures.end(|| 9)), (Some(error(1)), None, None));
    failures.begin(10, error(3));
    assert_eq!(failures.end(|| 10), Some(error(3)));
    failures.begin(12, error(4));
    let failed = (0..20).filter(|position| failures.at(*position).is_some()).collect::<Vec<u64>>();
    assert_eq!(failed, [5, 6, 7, 8, 13, 14, 15, 16, 17, 18, 19]);
    assert_eq!((failures.at(8), failures.at(13)), (Some(error(1)), Some(error(4))));
}

#[test]
fn a_failure_is_never_forgotten_and_the_last_are_told_apart() {
    const FAILURES: u64 = if cfg!(miri) { 2 * MOST as u64 } else { 100_000 };
    let failures = FailedSpans::default();
    fail(&failures, 1..FAILURES);
    assert_eq!(spans(&failures), MOST);
    assert!((0..=10).all(|position| failures.at(position).is_none()));
    for n in 1..FAILURES {
        let is_old = n <= FAILURES - MOST as u64;
        assert!([1, 2].iter().all(|position| failures.at(10 * n + position).is_some()), "{n} is forgotten");
        assert!(
            is_old || (failures.at(10 * n + 1), failures.at(10 * n + 3)) == (Some(error(n)), None),
            "{n} has spread"
        );
    }
}

#[test]
fn a_failure_that_begins_before_another_has_its_positions_too() {
    let failures = FailedSpans::default();
    assert_eq!([7, 9].map(|position| failures.fail(position, error(1))), [Ok(()); 2]);
    failures.begin(4, error(2));
    assert_eq!(failures.end(|| 12), Some(error(2)));
    let failed = [5, 7, 9, 12].map(|position| failures.at(position));
    assert_eq!((failures.at(4), failed, failures.at(13)), (None, [Some(error(2)); 4], None));
}

/// A wait may fail behind one whose failure was returned already.
#[test]
fn spans_that_overlap_keep_their_errors() {
    let failures = FailedSpans::default();
    for n in 0..100 {
        failures.begin(n, error(n));
        assert!(failures.end(|| 100).is_some());
    }
    (1..=100).for_each(|position| assert_eq!(failures.at(position), Some(error(position - 1))));
    assert_eq!(failures.at(101), None);
}

#[test]
fn like_failures_after_each_other_are_one() {
    let failures = FailedSpans::default();
    for n in 0..100 {
        failures.begin(n, error(1));
        assert_eq!(failures.end(|| n + 1), Some(error(1)));
    }
    assert_eq!(spans(&failures), 1);
    assert_eq!([0, 1, 100, 101].map(|position| failures.at(position)), [None, Some(error(1)), Some(error(1)), None]);
}

#[test]
fn a_position_fails_alone() {
    let failures = FailedSpans::default();
    assert_eq!((failures.at(1), failures.fail(3, error(3))), (None, Ok(())));
    assert_eq!([2, 3, 4].map(|position| failures.at(position)), [None, Some(error(3)), None]);
    assert!(failures.open().is_none());
}

/// A batch may fail before the stream has reached an earlier wait.
#[test]
fn a_wait_may_fail_before_a_position_that_has_failed() {
    let failures = FailedSpans::default();
    assert_eq!(failures.fail(8, error(8)), Ok(()));
    failures.begin(4, error(4));
    assert_eq!(
        [4, 5, 8, 9].map(|position| failures.at(position)),
        [None, Some(error(4)), Some(error(4)), Some(error(4))]
    );
    assert_eq!(failures.fail(10, error(10)), Ok(()));
    assert_eq!(failures.end(|| 12), Some(error(4)));
    assert_eq!([10, 12, 13].map(|position| failures.at(position)), [Some(error(4)), Some(error(4)), None]);
}
