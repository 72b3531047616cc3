use super::difference;

#[test]
fn counters_wrap() {
    assert_eq!(difference((10, 64), (25, 64)), 15);
    assert_eq!(difference((25, 64), (10, 64)), -15);
    assert_eq!(difference((u64::MAX - 4, 64), (5, 64)), 10);
    assert_eq!(difference((0xFFFF_FFF0, 32), (0x10, 32)), 0x20);
    assert_eq!(difference((0x10, 32), (0xFFFF_FFF0, 32)), -0x20);
    // A queue whose counter has more bits.
    assert_eq!(difference((0x7_FFFF_FFF0, 64), (0x10, 32)), 0x20);
}
