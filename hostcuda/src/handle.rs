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
#[path = "handle_tests.rs"]
mod tests;
