//! Tests of this module.

use super::Settings;

fn read(set: &[(&str, &str)]) -> (Settings, usize) {
    let mut complaints = 0;
    let value = |name: &str| set.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).into());
    let settings = Settings::read(value, |_, _| complaints += 1);
    (settings, complaints)
}

#[test]
fn each_variable_asks_for_what_it_says() {
    let none = Settings::default();
    assert_eq!(read(&[]), (none, 0));
    assert_eq!(read(&[("GEVT_SHIM", "on"), ("GEVT_LOG", ""), ("GEVT_STATS", "0")]), (none, 0));
    assert_eq!(read(&[("GEVT_SHIM", "off")]), (Settings { off: true, ..none }, 0));
    assert_eq!(read(&[("GEVT_SHIM", "strict")]), (Settings { strict: true, ..none }, 0));
    assert_eq!(read(&[("GEVT_LOG", "warn")]), (Settings { warn: true, ..none }, 0));
    assert_eq!(read(&[("GEVT_LEAKS", "1")]), (Settings { leaks: true, ..none }, 0));
    assert_eq!(read(&[("GEVT_STATS", "1")]), (Settings { stats: true, ..none }, 0));
    assert_eq!(read(&[("GEVT_TRACE", "a.json")]), (Settings { trace: true, ..none }, 0));
    assert_eq!(read(&[("GEVT_TRACE", "")]), (none, 0));
    assert_eq!(read(&[("GEVT_SHIM", "of"), ("GEVT_LEAKS", "yes")]), (none, 2));
}
