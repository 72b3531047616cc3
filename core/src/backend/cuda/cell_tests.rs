use super::*;

#[test]
fn a_held_native_event_is_not_recorded_again() {
    let plain = Cell::default();
    let cell = CudaCell::of(&plain);
    assert_eq!(cell.set_native(10, false), Ok(()));
    assert_eq!(cell.set_native(16, false), Err(10), "another thread was first");
    assert_eq!(cell.unheld_native(), 0, "it may have a past");
    assert_eq!(cell.native_to_record(|| unreachable!("nobody waits")), Ok(10));
    assert!(cell.recorded(10));
    assert_eq!(cell.unheld_native(), 10);
    assert_eq!(cell.hold(), 10);
    assert_eq!(cell.native_to_record(|| Ok(16)), Ok(16));
    // A failed record changes nothing, and the next one uses its native event.
    assert_eq!(cell.native(), 10);
    assert_eq!(cell.native_to_record(|| unreachable!("16 is free")), Ok(16));
    assert!(cell.recorded(16));
    assert_eq!(cell.hold(), 16);
    assert_eq!(cell.native_to_record(|| Ok(12)), Ok(12));
    assert!(cell.recorded(12));
    cell.unhold(10);
    assert_eq!(cell.hold(), 12);
    assert_eq!(cell.native_to_record(|| unreachable!("10 is free again")), Ok(10));
    // 12 is shared while 10 is being recorded.
    assert_eq!(cell.give(), Some(12));
    assert!(!cell.recorded(10));
    assert_eq!(cell.native_to_record(|| unreachable!("others know 12")), Ok(12));
    assert!(cell.recorded(12));
    let mut all: Vec<u64> = cell.take_natives().collect();
    assert_eq!(all.first(), Some(&12));
    all.sort_unstable();
    assert_eq!(all, [10, 12, 16]);
    assert_eq!(cell.native(), 0);
}

#[test]
fn a_native_event_with_a_past_is_not_given() {
    let plain = Cell::default();
    let cell = CudaCell::of(&plain);
    assert_eq!(cell.set_native(10, true), Ok(()));
    assert!(cell.give().is_none() && cell.is_shared());
    assert_eq!(cell.give_new(16, true), 16);
    assert_eq!(cell.give_new(12, true), 16, "another thread was first");
    // A record that has begun with the first one is repeated.
    assert!(!cell.recorded(10) && cell.recorded(16));
    let mut all: Vec<u64> = cell.take_natives().collect();
    all.sort_unstable();
    assert_eq!(all, [10, 12, 16]);
}

#[test]
fn the_native_event_of_a_record_is_the_one_that_others_know() {
    let plain = Cell::default();
    let cell = CudaCell::of(&plain);
    assert_eq!(cell.set_native(10, false), Ok(()));
    // The driver has recorded it, and the event's word does not show that yet.
    assert!(cell.recorded(10));
    assert_eq!(cell.give_new(16, false), 10, "the record would be lost");
    assert_eq!(cell.give(), Some(10));
    let mut all: Vec<u64> = cell.take_natives().collect();
    all.sort_unstable();
    assert_eq!(all, [10, 16]);
    // What its memory serves next.
    assert_eq!(cell.give_new(20, true), 20);
    assert!(cell.give() == Some(20) && cell.is_shared());
    assert_eq!(cell.take_natives().collect::<Vec<_>>(), [20]);
}

/// The words of a cell as another backend's, which a thread with a stale handle still reads.
#[repr(C)]
struct OtherState([AtomicU64; 3]);

// SAFETY: three atomics of eight bytes; zeros are empty.
unsafe impl CellState for OtherState {}

/// Only Miri can tell: atomic accesses of different sizes may not race.
#[test]
fn all_backends_access_the_words_in_one_size() {
    let plain = Cell::default();
    let cell = CudaCell::of(&plain);
    assert_eq!(cell.set_native(10, true), Ok(()));
    std::thread::scope(|scope| {
        scope.spawn(|| plain.state::<OtherState>().0.each_ref().map(|word| word.load(Ordering::Relaxed)));
        cell.unhold(cell.hold());
    });
    assert!(cell.is_shared());
    assert_eq!(cell.take_natives().collect::<Vec<_>>(), [10]);
}
