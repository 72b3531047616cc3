//! Tests of this module.

use super::*;

#[test]
fn handles_are_positive_and_aligned_and_null_stays() {
    for kind in 0xE1..=0xEA {
        for handle in [1, 2, (1 << 56) - 1].map(|low| table::Handle(kind << 56 | low)) {
            assert!((to_c(handle) as isize) > 0);
            assert!(to_c(handle).is_multiple_of(8));
            assert!(of_c(to_c(handle)) == handle);
            assert!(of_c(handle.0 as usize) != handle);
        }
    }
    assert!(of_c(0) == table::Handle(0));
}
