//! The exported function that has the caller called back when an event completes.

use super::boundary::{User, call};
use super::types::{gevt_complete_fn_t, gevt_event_t, gevt_status_t};
use gevt_core::Error;
use std::ffi::c_void;

/// Calls `fn(user, status)` once when an event completes or fails.
///
/// It is the last record at the time of the call that counts; a later record or gevt_destroy() changes nothing. `status` is GEVT_SUCCESS
/// or the event's failure. The callback runs on a thread of gevt, never inside this call. It may call gevt and may block. Callbacks run
/// in any order, in parallel, and not in stream order: use gevt_stream_launch() for that. A callback that has not started when the
/// process exits does not run.
///
/// If this function returns an error, `fn` is never called.
///
/// # Errors
/// - GEVT_ERROR_ILLEGAL_STATE, GEVT_ERROR_CAPTURED_EVENT: as for gevt_query().
///
/// # Safety
/// It must be sound to call `fn(user, status)` on another thread, until it has run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_on_complete(
    ev: gevt_event_t,
    r#fn: gevt_complete_fn_t,
    user: *mut c_void,
) -> gevt_status_t {
    call("gevt_on_complete", ev.handle(), || {
        let function = r#fn.ok_or(Error::NullPointer("fn"))?;
        let user = User(user);
        ev.on_complete(move |status| function(user.get(), status.0))
    })
}
