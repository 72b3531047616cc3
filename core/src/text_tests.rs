use super::*;

#[test]
fn a_name_is_shown_on_one_line() {
    let name = Name::of("a\nb\t\x1b[2J\u{85}\u{2028}é\"\\");
    assert_eq!(name.to_string(), "a\\nb\\t\\u{1b}[2J\\u{85}\\u{2028}é\"\\");
    assert_eq!(name.as_str(), "a\nb\t\x1b[2J\u{85}\u{2028}é\"\\");
}

#[test]
fn what_is_too_long_is_cut_at_a_whole_character() {
    let long = "é".repeat(40);
    assert_eq!(Name::of(&long).as_str(), "é".repeat(31));
    assert_eq!(Text::<64>::of(&long).as_str(), "é".repeat(31));
    assert_eq!(Text::<64>::of(&long).as_c_str().count_bytes(), 62);
}
