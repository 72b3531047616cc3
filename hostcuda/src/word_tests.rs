//! Tests of this module.

use super::*;

#[test]
fn conditions_are_the_drivers() {
    let holds = |number, seen, value, is_wide| Condition::new(number).unwrap().holds(seen, value, is_wide);
    for (number, seen, value, narrow, wide) in [
        (0, 5, 5, true, true),
        (0, 4, 5, false, false),
        (0, 0, 0xFFFF_FFFF, true, false),
        (0, 0x8000_0000, 0, false, true),
        (1, 5, 5, true, true),
        (1, 6, 5, false, false),
        (2, 6, 4, true, true),
        (2, 3, 4, false, false),
        (3, 0xFFFF_FFF0, 0xF, false, true),
        (3, 0xFFFF_FFF0, 0x7, true, true),
        (3, u64::MAX, 0, false, false),
    ] {
        assert_eq!(holds(number, seen, value, false), narrow, "{number} {seen:#x} {value:#x}");
        assert_eq!(holds(number, seen, value, true), wide, "{number} {seen:#x} {value:#x}, 8 bytes");
    }
    assert!(Condition::new(4).is_none());
}
