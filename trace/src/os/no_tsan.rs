//! There is no ThreadSanitizer for Windows.

use gevt_core::probe::{Order, Scope};

pub(crate) fn is_sanitized() -> bool {
    false
}

pub(crate) fn announce(_: Order, _: usize) {}

pub(crate) fn pass(_: Scope, _: bool) {}
