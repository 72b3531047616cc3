//! Tests of this module.

use super::{looks_like_one, may_be_object};

#[test]
fn what_is_mapped_and_aligned_may_be_an_object() {
    let object = Box::new(0_u64);
    let address = (&raw const *object) as usize;
    assert!(may_be_object(address));
    assert!(!may_be_object(address + 1) && !may_be_object(address + 4));
    assert!(looks_like_one(address) && !looks_like_one(0x10) && !looks_like_one(0xfff8) && looks_like_one(0x1_0000));
    let none: [usize; 6] = [0, 1, 0x10, 0xfff8, 0xdead_beef_0000_0000, usize::MAX - 7];
    assert!(none.into_iter().all(|address| !may_be_object(address)));
}
