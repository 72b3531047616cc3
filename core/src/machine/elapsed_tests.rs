use super::*;
use crate::flags::EventFlags;
use crate::table::Stream;

/// A time that no two records have between them here.
const KEPT: i64 = i64::MIN;

fn record(event: Event) {
    event.record(Stream::NULL).expect("it is recorded");
    event.sync().expect("it is done");
}

/// Records the event until its word is what it is now.
fn record_all_round(event: Event) {
    let slot = EVENTS.find(event.0).expect("its slot").slot;
    let now = slot.word.load();
    slot.word.publish(now.with_records(Word::MAX_RECORDS));
    (0..=now.records()).for_each(|_| record(event));
    assert_eq!(slot.word.load(), now);
}

#[test]
fn a_time_is_kept_until_one_of_the_two_is_recorded_again() {
    let [start, end] = [(); 2].map(|()| Event::create(EventFlags::DEFAULT).expect("an event"));
    let elapsed = || Event::elapsed(start, end).expect("a time").expect("both are done");
    let keep = || {
        let events = [start, end].map(|event| EVENTS.find(event.0).expect("it lives"));
        let known = known_pair(&events).expect("both are known to be done");
        events[1].slot.value.last_elapsed.set(known, KEPT);
        assert_eq!(elapsed(), KEPT);
    };
    record(start);
    record(end);
    for again in [start, end] {
        keep();
        record(again);
        assert_ne!(elapsed(), KEPT);
        keep();
        record_all_round(again);
        assert_ne!(elapsed(), KEPT, "it is a time of other records, with the same words");
    }
    [start, end].into_iter().for_each(|event| event.destroy().expect("it lives"));
}
