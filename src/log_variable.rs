//! The variable GEVT_LOG, which turns the log on as well.

use gevt_core::Level;
use std::ffi::CStr;
use std::fmt::Arguments;
use std::io::{Write, stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Prints the log to stderr if GEVT_LOG asks for it.
#[cold]
pub(super) fn read() {
    static READ: AtomicBool = AtomicBool::new(false);
    if READ.swap(true, Ordering::Relaxed) {
        return;
    }
    let Some(value) = std::env::var_os("GEVT_LOG").filter(|value| !value.is_empty()) else { return };
    let level = match value.to_str() {
        Some("error") => Level::Error,
        Some("warn") => Level::Warn,
        Some("info") => Level::Info,
        Some("off") => return,
        _ => return print(format_args!("GEVT_LOG is {value:?}, and not error, warn, info or off")),
    };
    let tell = |_: Level, message: &CStr| print(format_args!("{}", message.to_string_lossy()));
    gevt_core::set_first_logger([0; 2], Some((level, Arc::new(tell))));
}

/// Prints one line by one call.
fn print(message: Arguments<'_>) {
    let _ = stderr().write_all(format!("gevt: {message}\n").as_bytes());
}
