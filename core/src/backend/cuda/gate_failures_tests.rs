use super::*;

const STREAM: u64 = 16;
const OURS: Gated = Gated::Stream(STREAM);

fn wait_on(gates: &StreamGates, stream: u64) -> Arc<Gate> {
    let gate = Gate::new();
    gates.queue(stream, &gate).expect("there is room");
    gate
}

fn is_full(gates: &StreamGates) -> bool {
    gates.queue(STREAM, &Gate::new()).is_err()
}

fn open(gate: &Gate, status: Status) {
    assert!(gate.open(status));
}

/// A context with so many closed gates on other streams.
fn crowded(many: usize) -> StreamGates {
    let gates = StreamGates::default();
    (0..many as u64).for_each(|other| drop(wait_on(&gates, 1000 + other)));
    gates
}

#[test]
fn a_refused_gate_takes_no_room() {
    let gates = crowded(MOST - 1);
    for _ in 0..2 {
        open(&wait_on(&gates, STREAM), Status::SUCCESS);
    }
    wait_on(&gates, STREAM);
    assert!(is_full(&gates));
}

#[test]
fn a_gate_takes_room_until_those_before_it_in_its_stream_are_open_too() {
    let gates = crowded(MOST - 2);
    let (first, second) = (wait_on(&gates, STREAM), wait_on(&gates, STREAM));
    open(&second, Status::SUCCESS);
    assert!(is_full(&gates));
    open(&first, Status::SUCCESS);
    wait_on(&gates, STREAM);
    wait_on(&gates, STREAM);
    assert!(is_full(&gates));
}

#[test]
fn the_gates_of_streams_that_have_ended_take_room_until_they_open() {
    let gates = crowded(MOST - 2);
    let (first, second) = (wait_on(&gates, STREAM), wait_on(&gates, STREAM));
    gates.forget(OURS);
    assert!(is_full(&gates));
    open(&first, Status::SUCCESS);
    wait_on(&gates, 5);
    assert!(is_full(&gates));
    open(&second, Status::SUCCESS);
    assert!(!is_full(&gates));
}

#[test]
fn a_failure_stays_with_the_stream_until_it_is_taken_and_with_a_record() {
    let gates = StreamGates::default();
    let (first, second) = (wait_on(&gates, STREAM), wait_on(&gates, STREAM));
    let (record, other) = (Gated::Record(STREAM), Gated::Stream(5));
    gates.add(record, gates.of(OURS));
    gates.add(other, gates.of(record));
    open(&first, Status(719));
    open(&second, Status::SUCCESS);
    gates.opened();
    assert!(gates.check(OURS).is_err() && gates.check(other).is_err());
    assert_eq!(gates.take_failure(None), Err(Error::EventFailed(Status(719))));
    assert!(gates.check(OURS).is_ok() && gates.take_failure(None).is_ok() && gates.check(other).is_ok());
    assert_eq!(gates.check(record), Err(Error::EventFailed(Status(719))));
    gates.forget(record);
    gates.opened();
    assert!(gates.are_none());
}

#[test]
fn streams_that_have_passed_their_gates_do_not_stay_listed() {
    let gates = StreamGates::default();
    let _closed = wait_on(&gates, STREAM);
    for stream in 1000..1000 + 20 * FEW as u64 {
        open(&wait_on(&gates, stream), Status::SUCCESS);
        gates.opened();
    }
    assert!(gates.listed.load(Ordering::Relaxed) <= FEW + 2);
}
