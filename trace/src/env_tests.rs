use super::*;

#[test]
fn the_number_of_the_process_is_put_in() {
    let path = |variable: &str| path_of(OsStr::new(variable), 42).into_os_string().into_string();
    let pairs =
        [("a.json", "a.json"), ("%p", "42"), ("a-%p-%p.json", "a-42-42.json"), ("%%p%x%", "%p%x%"), ("%%%p", "%42")];
    for (variable, expected) in pairs {
        assert_eq!(path(variable).as_deref(), Ok(expected));
    }
}

#[test]
fn a_name_that_is_taken_gets_a_number() {
    let turn = |path: &str, turn| name_in_turn(Path::new(path), turn).to_string_lossy().into_owned();
    assert_eq!(turn("a/b.json", 1), "a/b.json");
    assert_eq!(turn("a/b.json", 2), "a/b.2.json");
    assert_eq!(turn("a.d/b", 13), "a.d/b.13");
}
