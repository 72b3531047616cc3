use super::*;

const STREAM: u64 = 16;

fn awaited(position: u64) -> Dependency {
    Dependency::unknown(1, position)
}

/// The stream waits for that position; `None` if it has a gate that opens only when that has come.
fn wait_on(fates: &StreamFates, stream: u64, position: u64) -> Option<Arc<Fate>> {
    let new = fates.new_fate(stream, awaited(position), false).expect("there is room");
    let (fate, is_given) = new?;
    if is_given {
        return None;
    }
    fate.set_given(Box::new(|_| ()));
    Some(fate)
}

fn wait(fates: &StreamFates, position: u64) -> Option<Arc<Fate>> {
    wait_on(fates, STREAM, position)
}

fn end(fate: &Fate, position: u64, status: Status) {
    fate.end_wait(awaited(position), Opening::Done(status));
}

/// A context with so many closed gates on other streams.
fn crowded(many: usize) -> StreamFates {
    let fates = StreamFates::default();
    (0..many as u64).for_each(|other| drop(wait_on(&fates, 1000 + other, other).expect("a gate of its own")));
    fates
}

#[test]
fn only_a_stream_with_a_number_of_its_own_relies_on_a_gate_that_it_has() {
    let fates = StreamFates::default();
    assert!(wait(&fates, 1).is_some());
    assert!(wait(&fates, 1).is_some(), "the stream may be another one with the same address");
    assert!(fates.new_fate(STREAM, awaited(1), true).expect("there is room").is_none(), "a number is never another's");
    fates.add_made(STREAM, true);
    assert!(wait(&fates, 1).is_some(), "the gates were those of a stream that has ended");
    assert!(wait(&fates, 1).is_none());
    fates.forget(STREAM);
    assert!(wait(&fates, 1).is_some());
}

#[test]
fn a_refused_gate_takes_no_room() {
    let fates = crowded(MOST - 1);
    for _ in 0..2 {
        let (refused, _) =
            fates.new_fate(STREAM, awaited(0), false).expect("there is room").expect("a gate of its own");
        fates.withdraw(STREAM, &refused);
    }
    assert!(wait(&fates, 1).is_some());
    assert!(fates.new_fate(STREAM, awaited(0), false).is_err());
}

#[test]
fn a_context_s_queues_are_full_until_gates_open_also_those_of_streams_that_have_ended() {
    let fates = crowded(MOST - 2);
    fates.add_made(STREAM, false);
    let (first, second) = (wait(&fates, 1).expect("a gate"), wait(&fates, 2).expect("a gate"));
    fates.forget(STREAM);
    let is_full = || fates.new_fate(STREAM, awaited(3), false).is_err();
    assert!(is_full());
    end(&first, 1, Status::SUCCESS);
    assert!(wait(&fates, 3).is_some());
    assert!(is_full());
    end(&second, 2, Status::SUCCESS);
    assert!(!is_full());
}

#[test]
fn where_there_are_many_a_stream_of_gevt_s_own_has_one_gate_for_what_it_waits_for_in_a_row() {
    let fates = crowded(MANY - 1);
    fates.add_made(STREAM, true);
    wait(&fates, 1).expect("a gate of its own: there are few");
    let last = wait(&fates, 2);
    assert!(last.is_none(), "many");
    let gate = fates.of(STREAM).expect("a closed gate")[0].clone();
    end(&gate, 1, Status::SUCCESS);
    assert!(!gate.is_open());
    (3..5000).for_each(|position| assert!(wait(&fates, position).is_none()));
    assert!(wait(&fates, 3).is_none(), "it waits for that already");
    (4..5000).rev().for_each(|position| end(&gate, position, Status::SUCCESS));
    end(&gate, 2, Status(719));
    assert!(!gate.is_open());
    end(&gate, 3, Status::SUCCESS);
    assert_eq!(gate.failure(), Some(Status(719)));
    assert!(matches!(fates.take_failure(STREAM), Err(Error::EventFailed(Status(719)))));
    assert!(fates.check(STREAM).is_ok());
    assert!(wait(&fates, 5000).is_some(), "the gate is open");
}

#[test]
fn what_a_stream_was_given_meanwhile_does_not_wait_for_what_comes_later() {
    let fates = crowded(MANY);
    fates.add_made(STREAM, true);
    wait(&fates, 1).expect("a gate of its own");
    assert!(wait(&fates, 2).is_none());
    fates.seal(Some(STREAM));
    wait(&fates, 3).expect("something was given behind the first gate");
    assert!(wait(&fates, 4).is_none());
    fates.seal(None);
    wait(&fates, 5).expect("all streams were waited for");
    let blocking = STREAM + 1;
    fates.add_made(blocking, false);
    wait_on(&fates, blocking, 1).expect("a gate of its own");
    wait_on(&fates, blocking, 2).expect("the default stream may wait for the first gate");
}

#[test]
fn a_refused_wait_fails_those_that_rely_on_it_alone() {
    for joins in [false, true] {
        let fates = StreamFates::default();
        fates.add_made(STREAM, true);
        let fate = wait(&fates, 1).expect("a gate");
        assert!(!joins || wait(&fates, 1).is_none());
        fate.end_wait(awaited(1), Opening::Refused);
        assert_eq!(fate.failure(), joins.then_some(Status::OUT_OF_MEMORY));
    }
}

#[test]
fn streams_that_have_passed_their_gates_do_not_stay_listed() {
    let fates = StreamFates::default();
    for stream in 1..20 * FEW as u64 {
        let fate = wait_on(&fates, stream, stream).expect("a gate of its own");
        end(&fate, stream, Status::SUCCESS);
    }
    assert!(fates.listed.load(Ordering::Relaxed) <= FEW + 1);
}
