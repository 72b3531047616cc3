//! Tests of this module.

use super::*;

#[test]
fn plain_names_are_found_in_mangled_ones() {
    for (mangled, plain) in [
        (c"_Z5saxpyifPKfPf", Some(c"saxpy")),
        (c"_ZN4math5saxpyEif", Some(c"saxpy")),
        (c"_Z5scaleIfEvPT_", Some(c"scale")),
        (c"_ZL5tableB", Some(c"table")),
        (c"saxpy", None),
        (c"_Z", None),
        (c"_Z99x", None),
        (c"_Z18446744073709551615x", None),
    ] {
        assert_eq!(plain_name(mangled).as_deref(), plain, "{mangled:?}");
    }
}

#[test]
fn variables_are_the_librarys_own() {
    let math = Library::open("libm.so.6").expect("it is everywhere");
    assert!(math.variable(c"signgam", 4).is_some());
    assert_eq!(math.variable(c"signgam", 5), None);
    for name in [c"gamma", c"stdout", c"nothing", c"_Z5gammaf"] {
        assert_eq!(math.variable(name, 4), None, "{name:?}");
    }
}
