//! gevt_set_log_callback and GEVT_LOG, which turn the log on.

use super::boundary::{User, call};
use super::types::{GEVT_LOG_OFF, gevt_log_fn_t, gevt_log_level_t, gevt_status_t};
use gevt_core::{Error, Handle, Level};
use std::ffi::{CStr, c_void};
use std::fmt::Arguments;
use std::io::{Cursor, Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};

/// Sets the function that receives gevt's log messages, in place of the previous one.
///
/// `fn(user, level, message)` gets messages of `level` and of more important levels. A NULL `fn` or GEVT_LOG_OFF turns the log off.
/// `message` is one line of UTF-8, valid during the call. Until the first call of this function, the environment variable GEVT_LOG
/// (error, warn or info) has the log printed to stderr.
///
/// The callback runs on the thread whose call has something to report, and on several threads in parallel. It may call gevt; those calls
/// are not logged and do not change the last failure. When this function returns, the previous callback is not running on any other
/// thread, unless this function was called from a log callback.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `level` is not a level.
///
/// # Safety
/// It must be sound to call `fn(user, level, message)` on any thread, until another callback has been set.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_set_log_callback(
    r#fn: gevt_log_fn_t,
    user: *mut c_void,
    level: gevt_log_level_t,
) -> gevt_status_t {
    call("gevt_set_log_callback", Handle::NULL, || {
        let wanted =
            if level == GEVT_LOG_OFF { None } else { Some(Level::of(level).ok_or(Error::BadArgument("level"))?) };
        let user = User(user);
        gevt_core::set_logger(wanted.zip(r#fn).map(|(level, function)| {
            (level, move |level: Level, message: &CStr| function(user.get(), level as u32, message.as_ptr()))
        }))
    })
}

/// Prints the log to stderr if GEVT_LOG asks for it, until the program sets a callback.
#[cold]
pub(super) fn read_variable() {
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
    gevt_core::set_first_logger(level, |_: Level, message: &CStr| print(format_args!("{}", message.to_string_lossy())));
}

/// Prints one line by one call. A longer one is cut off.
fn print(message: Arguments<'_>) {
    let mut line = Cursor::new([0; 640]);
    let _ = write!(line, "gevt: {message}");
    let length = (line.position() as usize).min(639);
    let mut line = line.into_inner();
    line[length] = b'\n';
    let _ = stderr().write_all(&line[..=length]);
}
