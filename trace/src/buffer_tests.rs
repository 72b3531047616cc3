use super::*;
use gevt_core::probe::Call;

fn entry() -> TraceEntry {
    TraceEntry::now(What::Instant(Call::new("test")))
}

#[test]
fn it_is_bounded_and_counts_what_it_loses() {
    let buffer = Buffer::new();
    assert!(!buffer.push(entry()));
    let (list, mut other) = (Vec::with_capacity(4), Vec::with_capacity(4));
    let capacity = list.capacity();
    buffer.open(list);
    let kept = (0..capacity + 3).filter(|_| buffer.push(entry())).count();
    assert_eq!(kept, capacity);
    let taken = buffer.take(&mut other);
    assert_eq!((other.len(), taken.lost, taken.is_last), (capacity, 3, false));
    other.clear();
    assert!(buffer.push(entry()));
    assert!(buffer.close(None));
    assert!(!buffer.push(entry()));
    let taken = buffer.take(&mut other);
    assert_eq!((other.len(), taken.lost, taken.is_last), (1, 0, true));
}
