//! Handles as C passes them: the numbers of the core's tables.

use gevt_core::table;

/// What names an object outside. Zero names nothing.
pub(crate) type Handle = usize;

/// Returns the handle as C passes it.
pub(crate) fn to_c(handle: table::Handle) -> Handle {
    handle.0 as Handle
}

/// Returns the handle as the tables know it.
#[inline]
pub(crate) fn of_c(handle: Handle) -> table::Handle {
    table::Handle(handle as u64)
}
