use super::*;

const STREAM: u64 = 16;

fn wait_on(outcomes: &StreamGates, stream: u64) -> Arc<GateOutcome> {
    outcomes.add_gate(stream).expect("there is room")
}

fn is_full(outcomes: &StreamGates) -> bool {
    outcomes.add_gate(STREAM).is_err()
}

fn open(outcome: &GateOutcome, status: Status) {
    outcome.set(Opening::Done(status));
}

/// A context with so many closed gates on other streams.
fn crowded(many: usize) -> StreamGates {
    let outcomes = StreamGates::default();
    (0..many as u64).for_each(|other| drop(wait_on(&outcomes, 1000 + other)));
    outcomes
}

#[test]
fn a_refused_gate_takes_no_room() {
    let outcomes = crowded(MOST - 1);
    for _ in 0..2 {
        let refused = wait_on(&outcomes, STREAM);
        outcomes.withdraw(STREAM, &refused);
        assert!(refused.is_success());
    }
    wait_on(&outcomes, STREAM);
    assert!(is_full(&outcomes));
}

#[test]
fn a_gate_takes_room_until_those_before_it_in_its_stream_are_open_too() {
    let outcomes = crowded(MOST - 2);
    let (first, second) = (wait_on(&outcomes, STREAM), wait_on(&outcomes, STREAM));
    open(&second, Status::SUCCESS);
    assert!(is_full(&outcomes));
    open(&first, Status::SUCCESS);
    wait_on(&outcomes, STREAM);
    wait_on(&outcomes, STREAM);
    assert!(is_full(&outcomes));
}

#[test]
fn the_gates_of_streams_that_have_ended_take_room_until_they_open() {
    let outcomes = crowded(MOST - 2);
    let (first, second) = (wait_on(&outcomes, STREAM), wait_on(&outcomes, STREAM));
    outcomes.forget(STREAM);
    assert!(is_full(&outcomes));
    open(&first, Status::SUCCESS);
    wait_on(&outcomes, STREAM);
    assert!(is_full(&outcomes));
    open(&second, Status::SUCCESS);
    assert!(!is_full(&outcomes));
}

#[test]
fn a_failure_stays_with_the_stream_until_it_is_taken() {
    let outcomes = StreamGates::default();
    let (first, second) = (wait_on(&outcomes, STREAM), wait_on(&outcomes, STREAM));
    open(&first, Status(719));
    open(&second, Status::SUCCESS);
    assert_eq!(first.failure(), Some(Status(719)));
    assert!(outcomes.check(STREAM).is_err());
    assert!(matches!(outcomes.take_failure(STREAM), Err(Error::EventFailed(Status(719)))));
    assert!(outcomes.check(STREAM).is_ok());
    assert!(outcomes.are_none());
}

#[test]
fn streams_that_have_passed_their_gates_do_not_stay_listed() {
    let outcomes = StreamGates::default();
    for stream in 1..20 * FEW as u64 {
        open(&wait_on(&outcomes, stream), Status::SUCCESS);
    }
    assert!(outcomes.listed.load(Ordering::Relaxed) <= FEW + 1);
}
