use super::*;
use crate::flags::EventFlags;
use crate::table::Word;

#[test]
fn records_are_counted_beyond_the_word() {
    let handle = Event::create(EventFlags::DEFAULT).expect("an event");
    let slot = EVENTS.find(handle.0).expect("its slot").slot;
    slot.word.publish(slot.word.load().with_records(Word::MAX_RECORDS));
    let counts = [0, 1, 2].map(|_| {
        let count = handle.info().expect("it lives").records;
        handle.record(Stream::NULL).expect("it is recorded");
        count
    });
    assert_eq!(counts, [0, 1, 2].map(|more| Word::MAX_RECORDS + more));
    handle.destroy().expect("it lives");
}
