//! The log.

use super::boundary::{User, call};
use super::types::{GEVT_LOG_OFF, gevt_log_fn_t, gevt_log_level_t, gevt_status_t};
use gevt_core::log::Level;
use gevt_core::{Error, Handle};
use std::ffi::c_void;

/// Sets the function that gevt tells its messages to, in place of the one before: `fn(user, level, message)`.
///
/// `level` is the least important one that is wanted: GEVT_LOG_ERROR for contexts that are lost and for bugs of gevt's,
/// GEVT_LOG_WARN for each call that fails too, in the words of gevt_last_message, GEVT_LOG_INFO for what gevt chooses or begins
/// as well, such as the default backend and why. A NULL `fn` or GEVT_LOG_OFF ends the log; it costs nothing then.
///
/// The function is called by the thread that has something to say, inside its call of gevt, with no lock of gevt's held; by
/// several threads at once where they have. It may call gevt; what those calls have to say is not logged, and the last failure
/// of the thread stays what it was. `message` is a string in UTF-8 that does not end with a new line, valid during the call. It
/// is not called in a forked child and once exit() has begun.
/// When this call returns, no thread is inside a function that was set before, and none will be: what it used may be freed.
/// Called from inside a log function it does not wait, and threads may be inside earlier ones for a while, until the next call
/// that does wait.
/// GEVT_ERROR_INVALID_VALUE: there is no such level.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_set_log_callback(
    r#fn: gevt_log_fn_t,
    user: *mut c_void,
    level: gevt_log_level_t,
) -> gevt_status_t {
    call("gevt_set_log_callback", Handle::NULL, || {
        let wanted =
            if level == GEVT_LOG_OFF { None } else { Some(Level::of(level).ok_or(Error::BadArgument("level"))?) };
        let user = User(user);
        gevt_core::set_logger(wanted.zip(r#fn).map(|(level, function)| {
            let logger: gevt_core::log::Logger =
                Box::new(move |level, message| function(user.get(), level as u32, message.as_ptr()));
            (level, logger)
        }))
    })
}
