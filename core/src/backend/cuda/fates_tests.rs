use super::*;

const STREAM: u64 = 16;

fn wait_on(fates: &StreamFates, stream: u64) -> Arc<Fate> {
    fates.new_fate(stream).expect("there is room")
}

fn is_full(fates: &StreamFates) -> bool {
    fates.new_fate(STREAM).is_err()
}

fn open(fate: &Fate, status: Status) {
    fate.set(Opening::Done(status));
}

/// A context with so many closed gates on other streams.
fn crowded(many: usize) -> StreamFates {
    let fates = StreamFates::default();
    (0..many as u64).for_each(|other| drop(wait_on(&fates, 1000 + other)));
    fates
}

#[test]
fn a_refused_gate_takes_no_room() {
    let fates = crowded(MOST - 1);
    for _ in 0..2 {
        let refused = wait_on(&fates, STREAM);
        fates.withdraw(STREAM, &refused);
        assert!(refused.is_success());
    }
    wait_on(&fates, STREAM);
    assert!(is_full(&fates));
}

#[test]
fn a_gate_takes_room_until_those_before_it_in_its_stream_are_open_too() {
    let fates = crowded(MOST - 2);
    let (first, second) = (wait_on(&fates, STREAM), wait_on(&fates, STREAM));
    open(&second, Status::SUCCESS);
    assert!(is_full(&fates));
    open(&first, Status::SUCCESS);
    wait_on(&fates, STREAM);
    wait_on(&fates, STREAM);
    assert!(is_full(&fates));
}

#[test]
fn the_gates_of_streams_that_have_ended_take_room_until_they_open() {
    let fates = crowded(MOST - 2);
    let (first, second) = (wait_on(&fates, STREAM), wait_on(&fates, STREAM));
    fates.forget(STREAM);
    assert!(is_full(&fates));
    open(&first, Status::SUCCESS);
    wait_on(&fates, STREAM);
    assert!(is_full(&fates));
    open(&second, Status::SUCCESS);
    assert!(!is_full(&fates));
}

#[test]
fn a_failure_stays_with_the_stream_until_it_is_taken() {
    let fates = StreamFates::default();
    let (first, second) = (wait_on(&fates, STREAM), wait_on(&fates, STREAM));
    open(&first, Status(719));
    open(&second, Status::SUCCESS);
    assert_eq!(first.failure(), Some(Status(719)));
    assert!(fates.check(STREAM).is_err());
    assert!(matches!(fates.take_failure(STREAM), Err(Error::EventFailed(Status(719)))));
    assert!(fates.check(STREAM).is_ok());
    assert!(fates.are_none());
}

#[test]
fn streams_that_have_passed_their_gates_do_not_stay_listed() {
    let fates = StreamFates::default();
    for stream in 1..20 * FEW as u64 {
        open(&wait_on(&fates, stream), Status::SUCCESS);
    }
    assert!(fates.listed.load(Ordering::Relaxed) <= FEW + 1);
}
