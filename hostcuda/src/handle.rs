//! Handles as C passes them: the numbers of the core's tables, encoded to look like pointers.

use gevt_core::table;

/// Names an object in C. Zero names no object.
pub(crate) type Handle = usize;

/// The core's handles begin with these bits. In C, a handle ends with them, inverted. This keeps it a positive signed number, which
/// bindings of other languages expect, and it leaves the low bits free for programs that tag pointers.
const BITS: u32 = 3;
const FIRST: u64 = 0b111;

/// Returns the handle as C passes it.
pub(crate) fn to_c(handle: table::Handle) -> Handle {
    (handle.0.rotate_left(BITS) ^ FIRST) as Handle
}

/// Returns the handle as the tables know it.
#[inline]
pub(crate) fn of_c(handle: Handle) -> table::Handle {
    table::Handle(if handle == 0 { 0 } else { (handle as u64 ^ FIRST).rotate_right(BITS) })
}

#[cfg(test)]
mod tests {
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
}
