//! Tests of this module.

use super::*;

fn address(name: &str, version: i32, flags: u64) -> usize {
    look_up(name, version, flags).expect("the flags are good").address as usize
}

#[test]
fn versions_and_flags_choose_the_form() {
    assert_ne!(address("cuEventElapsedTime", 3020, 0), address("cuEventElapsedTime", 13000, 0));
    assert_ne!(address("cuEventDestroy", 3020, 0), address("cuEventDestroy", 4000, 0));
    assert_ne!(address("cuEventRecord", 12000, 0), address("cuEventRecord", 12000, 2));
    assert_eq!(address("cuEventQuery", 12000, 0), address("cuEventQuery", 12000, 2));
    assert_eq!(address("cuCtxCreate", 1000, 0), 0);
    assert_eq!(address("cuNothing", 13000, 0), 0);
}
