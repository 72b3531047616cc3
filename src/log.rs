//! The exported function that turns the log on.

use super::boundary::{User, call};
use super::types::{GEVT_LOG_OFF, gevt_log_fn_t, gevt_log_level_t, gevt_status_t};
use gevt_core::{Error, Handle, Level, Logger};
use std::ffi::{CStr, c_void};
use std::sync::Arc;

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
