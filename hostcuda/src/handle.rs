//! Handles as C passes them: the numbers of the core's tables, made to fit for pointers.

use gevt_core::table;

/// What names an object outside. Zero names nothing.
pub(crate) type Handle = usize;

/// The bit that no pointer of a program's has: bindings of other languages take handles to be signed numbers that are above 0.
const TOP: u64 = 1 << 63;

/// Returns the handle as C passes it.
pub(crate) fn to_c(handle: table::Handle) -> Handle {
    (handle.0 ^ TOP) as Handle
}

/// Returns the handle as the tables know it.
#[inline]
pub(crate) fn of_c(handle: Handle) -> table::Handle {
    table::Handle(if handle == 0 { 0 } else { handle as u64 ^ TOP })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_positive_and_null_stays() {
        let handle = table::Handle(0xE1 << 56 | 1);
        assert!((to_c(handle) as isize) > 0);
        assert!(of_c(to_c(handle)) == handle);
        assert!(of_c(0) == table::Handle(0));
        assert!(of_c(handle.0 as usize) != handle);
    }
}
