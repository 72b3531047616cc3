//! Tests of this module.

use super::locate;

#[test]
fn a_place_has_its_module_and_symbol() {
    let qsort = locate(libc::qsort as *const () as usize + 5).expect("libc is loaded");
    assert!(qsort.module.starts_with("libc"), "{}", qsort.module);
    assert_eq!(qsort.offset, 5);
    assert!(qsort.symbol.is_some_and(|name| name.contains("qsort")));
}
