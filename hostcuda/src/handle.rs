//! Handles as C passes them: the numbers of the core's tables, made to look like pointers.

use gevt_core::table;

/// What names an object outside. Zero names nothing.
pub(crate) type Handle = usize;

/// A handle of the core's begins with these bits, whatever it names. As C passes it, it ends with them, inverted: bindings of other
/// languages take handles to be signed numbers that are above 0, and programs keep marks of their own in the low bits, which no pointer has.
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
