use super::*;
use gevt_core::probe::Call;

fn entry() -> TraceEntry {
    TraceEntry::now(What::Instant(Call::new("test")))
}

#[test]
fn it_is_bounded_and_counts_what_it_loses() {
    let buffer = Buffer::new();
    assert!(!buffer.push(entry()));
    let receiver = buffer.open(4);
    assert_eq!((0..7).filter(|_| buffer.push(entry())).count(), 4);
    assert_eq!((receiver.try_iter().count(), buffer.take_lost()), (4, 3));
    assert!(buffer.push(entry()));
    assert!(buffer.close(None));
    assert!(!buffer.push(entry()));
    assert_eq!((receiver.iter().count(), buffer.take_lost()), (1, 0));
}
