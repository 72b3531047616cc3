//! gevt_set_log_callback and GEVT_LOG, which turn the log on.

use super::boundary::{User, call};
use super::types::{GEVT_LOG_OFF, gevt_log_fn_t, gevt_log_level_t, gevt_status_t};
use gevt_core::{Error, Handle, Level, Logger};
use std::ffi::{CStr, c_void};
use std::fmt::Arguments;
use std::io::{Cursor, Write, stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Adds a log callback, changes its level, or removes it.
///
/// `fn` and `user` together name one of many callbacks: a later call with both changes its level, and GEVT_LOG_OFF removes it. It gets
/// messages of `level` and of more important levels. `message` is one line of UTF-8, valid during the call.
///
/// A callback runs on the reporting thread, and on several threads in parallel. It may call gevt; these calls are not logged and do not
/// change the last failure. A removed callback is not running on another thread when this call returns, unless a callback made the call.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `fn` is NULL, or `level` is not a level.
///
/// # Safety
/// It must be sound to call `fn(user, level, message)` on any thread, until it has been removed.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_set_log_callback(
    r#fn: gevt_log_fn_t,
    user: *mut c_void,
    level: gevt_log_level_t,
) -> gevt_status_t {
    call("gevt_set_log_callback", Handle::NULL, || {
        let function = r#fn.ok_or(Error::NullPointer("fn"))?;
        let level = match level {
            GEVT_LOG_OFF => None,
            level => Some(Level::of(level).ok_or(Error::BadArgument("level"))?),
        };
        let (key, user) = ([function as usize, user as usize], User(user));
        let tell = move |level: Level, message: &CStr| function(user.get(), level as u32, message.as_ptr());
        gevt_core::set_logger(key, level.map(|level| (level, Arc::new(tell) as Logger)))
    })
}

/// Prints the log to stderr if GEVT_LOG asks for it.
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
    let tell = |_: Level, message: &CStr| print(format_args!("{}", message.to_string_lossy()));
    gevt_core::set_first_logger([0; 2], Some((level, Arc::new(tell))));
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
