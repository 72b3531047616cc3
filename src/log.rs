//! gevt_set_log_callback, which turns the log on.

use super::boundary::{User, call};
use super::types::{GEVT_LOG_OFF, gevt_log_fn_t, gevt_log_level_t, gevt_status_t};
use gevt_core::{Error, Handle, Level};
use std::ffi::{CStr, c_void};

/// Sets the function that receives gevt's log messages, in place of the previous one.
///
/// `fn(user, level, message)` is called for messages as important as `level` or more so: GEVT_LOG_WARN also selects
/// GEVT_LOG_ERROR. A NULL `fn` or GEVT_LOG_OFF turns the log off. `message` is a line in UTF-8 without a newline, valid during the
/// call.
///
/// The callback runs on the thread whose gevt call has something to report, before that call returns, and on several threads in
/// parallel. No lock of gevt's is held: it may call gevt, but those calls are not logged and do not change the last failure. It
/// does not run in a forked child or during exit.
///
/// When this function returns, no thread is inside a previous callback, so its data may be freed. The exception is a call from
/// within a log callback, which does not wait for the others.
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
