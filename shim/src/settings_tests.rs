//! Tests of this module.

use super::*;

fn bits(set: &[(&str, &str)]) -> (u32, usize) {
    let mut complaints = 0;
    let value = |name: &str| set.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).into());
    let bits = read(value, |_, _| complaints += 1);
    (bits, complaints)
}

#[test]
fn each_variable_asks_for_what_it_says() {
    assert_eq!(bits(&[]), (0, 0));
    assert_eq!(bits(&[("GEVT_SHIM", "on"), ("GEVT_LOG", ""), ("GEVT_STATS", "0")]), (0, 0));
    assert_eq!(bits(&[("GEVT_SHIM", "off")]), (OFF, 0));
    assert_eq!(bits(&[("GEVT_SHIM", "strict")]), (STRICT, 0));
    assert_eq!(bits(&[("GEVT_LOG", "warn"), ("GEVT_LEAKS", "1")]), (WARN | LEAKS, 0));
    assert_eq!(bits(&[("GEVT_STATS", "1")]), (STATS, 0));
    assert_eq!(bits(&[("GEVT_TRACE", "a.json")]), (TRACE, 0));
    assert_eq!(bits(&[("GEVT_TRACE", "a.json"), ("GEVT_SHIM", "off")]), (OFF, 0));
    assert_eq!(bits(&[("GEVT_TRACE", "")]), (0, 0));
    assert_eq!(bits(&[("GEVT_SHIM", "of"), ("GEVT_LEAKS", "yes")]), (0, 2));
}
