//! This library among the loaded objects.

use super::elf;
use std::ffi::c_void;
use std::ops::ControlFlow;

static MARKER: u8 = 0;

/// Returns an address in this library.
pub(crate) fn marker() -> *const c_void {
    (&raw const MARKER).cast()
}

/// Returns whether the address lies in this library.
pub(crate) fn is_ours(address: *const c_void) -> bool {
    let mut is_ours = false;
    elf::each(|object| {
        is_ours = object.holds(marker());
        if !is_ours {
            return ControlFlow::Continue(());
        }
        is_ours = object.holds(address);
        ControlFlow::Break(())
    });
    is_ours
}
