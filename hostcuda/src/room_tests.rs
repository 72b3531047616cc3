//! Tests of this module.

use super::*;

#[test]
fn only_numbers_limit_streams() {
    assert_eq!(parse("1024"), Some(1024));
    for value in ["", "0", "-1", "many"] {
        assert_eq!(parse(value), None, "{value}");
    }
}
