//! Lines for the person who runs the program.

use gevt_core::process::Uncancelled;
use std::io::Write;

/// Prints a line, whole. A closed stderr is ignored. A write is a cancellation point, and the callers catch panics, past which a
/// cancelled thread cannot unwind.
pub(crate) fn say(line: &str) {
    let _uncancelled = Uncancelled::new();
    let _ = std::io::stderr().write_all(format!("gevt: {line}\n").as_bytes());
}
