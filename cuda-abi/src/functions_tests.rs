//! Tests of this module.

use super::*;

#[test]
fn the_tables_are_sorted_and_a_symbol_begins_with_its_name() {
    assert!(DRIVER.is_sorted_by_key(|function| function.symbol));
    assert!(RUNTIME.is_sorted_by_key(|function| function.symbol));
    for function in DRIVER {
        assert!(function.symbol.starts_with(function.name), "{}", function.symbol);
        assert_eq!(driver(function.symbol), Some(function));
        assert!(forms(function.name).any(|form| form == function), "{}", function.symbol);
    }
}

#[test]
fn versions_and_flags_choose_the_form() {
    let symbol = |name, version, per_thread| newest(name, version, per_thread, |_| true).map(|form| form.symbol);
    assert_eq!(symbol("cuEventElapsedTime", 3020, false), Some("cuEventElapsedTime"));
    assert_eq!(symbol("cuEventElapsedTime", 13000, false), Some("cuEventElapsedTime_v2"));
    assert_eq!(symbol("cuEventRecord", 12000, false), Some("cuEventRecord"));
    assert_eq!(symbol("cuEventRecord", 12000, true), Some("cuEventRecord_ptsz"));
    assert_eq!(symbol("cuEventRecord", 6000, true), Some("cuEventRecord"));
    assert_eq!(symbol("cuEventQuery", 12000, true), Some("cuEventQuery"));
    assert_eq!(symbol("cuCtxCreate", 1000, false), None);
    assert_eq!(symbol("cuNothing", 13000, false), None);
    assert_eq!(newest("cuMemFree", 13000, false, |form| form.since < 3000).map(|form| form.symbol), Some("cuMemFree"));
}

#[test]
fn parameters_differ_between_releases_where_the_headers_do() {
    let edges = RUNTIME.iter().find(|function| function.symbol == "cudaGraphGetEdges").expect("it is listed");
    assert_eq!(edges.parameters_12.map(<[_]>::len), Some(4));
    assert_eq!(edges.parameters_13.map(<[_]>::len), Some(5));
    assert_eq!(driver("cuCtxSynchronize").and_then(|function| function.parameters), Some(&[][..]));
}
