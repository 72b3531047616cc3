//! Tests of this module.

use super::*;

#[test]
fn words_are_told_from_libraries() {
    for (value, skip) in [("", false), ("refuse", false), ("skip", true), ("/nowhere.so,skip", false)] {
        let setting = read(value);
        assert!(setting.skip == skip && setting.library.is_none(), "{value}");
    }
    let setting = read("libc.so.6,skip");
    assert!(setting.skip && setting.library.is_some());
}
