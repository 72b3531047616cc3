use super::*;

/// Returns how late a wait of that length ends, and after how many looks. A sleep ends some microseconds late.
fn wait(length: Duration, expected: Duration) -> (Duration, u32) {
    let (mut lasted, mut looks) = (Duration::ZERO, 1);
    while lasted < length {
        lasted += pause(expected, lasted) + Duration::from_micros(5);
        looks += 1;
    }
    (lasted - length, looks)
}

#[test]
fn pauses_grow_with_the_wait_and_are_bounded() {
    let us = Duration::from_micros;
    for (length, late, looks) in [(us(150), us(21), 9), (us(1500), us(100), 40), (us(20_000), us(255), 150)] {
        let (was, looked) = wait(length, Duration::ZERO);
        assert!(was <= late && looked <= looks, "{length:?}: {was:?} late after {looked} looks");
    }
}

#[test]
fn a_wait_as_long_as_the_last_one_ends_soon_after_few_looks() {
    let us = Duration::from_micros;
    for (length, late, looks) in [(150, 21, 9), (500, 21, 24), (1500, 21, 45), (5000, 21, 80), (20_000, 45, 150)] {
        for percent in [98, 100, 102] {
            let (was, looked) = wait(us(length * percent / 100), us(length));
            assert!(was <= us(late) && looked <= looks, "{length} µs: {was:?} late after {looked} looks");
        }
    }
}

#[test]
fn a_wait_teaches_the_next_one_for_the_same_point() {
    let pauses = Pauses::of(1);
    let late = Duration::from_millis(5);
    pauses.learn(late);
    assert_eq!((Pauses::of(1).next(late), Pauses::UNLEARNED.next(late)), (SHORT, LONG));
    Pauses::UNLEARNED.learn(late);
    pauses.learn(Duration::ZERO);
    assert_eq!(Pauses::of(1).next(late), LONG);
}
