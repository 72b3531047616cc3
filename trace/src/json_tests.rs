use super::*;

#[test]
fn strings_are_escaped() {
    let hostile = "a\"b\\c\n\t\0\x1b\x7f\u{2028}é";
    assert_eq!(quoted(hostile), "\"a\\\"b\\\\c\\u000a\\u0009\\u0000\\u001b\\u007f\u{2028}é\"");
    assert_eq!(quoted(format_args!("{} {}", "\"", 7)), "\"\\\" 7\"");
}

#[test]
fn times_are_in_microseconds() {
    assert_eq!(micros(0), "0.000");
    assert_eq!(micros(1_234_567), "1234.567");
    assert_eq!(micros(-1_005), "-1.005");
}
