//! Tests of this module.

use super::{has_runtime, locate, note_runtime};

#[test]
fn an_object_that_looked_for_a_runtime_s_functions_is_known() {
    let [one, other] = [libc::qsort as *const () as usize, libc::getenv as *const () as usize];
    let own = super::super::own::marker() as usize;
    assert!(!has_runtime(one) && !has_runtime(own));
    note_runtime(one as *const std::ffi::c_void);
    note_runtime(other as *const std::ffi::c_void);
    assert!(has_runtime(one) && has_runtime(other) && !has_runtime(own));
    note_runtime(own as *const std::ffi::c_void);
    assert!(has_runtime(own) && !has_runtime(0));
}

#[test]
fn a_place_has_its_module_and_symbol() {
    let qsort = locate(libc::qsort as *const () as usize + 5).expect("libc is loaded");
    assert!(qsort.module.starts_with("libc"), "{}", qsort.module);
    assert_eq!(qsort.offset, 5);
    assert!(qsort.symbol.is_some_and(|name| name.contains("qsort")));
}
