//! Lines for the person who runs the program.

use std::io::Write;

/// Prints a line, whole. A stderr that is closed is no trouble of the program's.
pub(crate) fn say(line: &str) {
    let _ = std::io::stderr().write_all(format!("gevt: {line}\n").as_bytes());
}
