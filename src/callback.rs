//! The exported function that has the caller called back when an event completes.

use super::boundary::{CHandle, User, call};
use super::types::{gevt_complete_fn_t, gevt_event_t, gevt_status_t};
use gevt_core::Error;
use std::ffi::c_void;

/// Calls `fn(user, status)` once when the event's last record completes or fails.
///
/// The record is the last one at the time of this call; a later record, or destroying the event, changes nothing. If the record is
/// complete already, the callback runs right away. `status` is GEVT_SUCCESS, or the reason for which the event cannot complete.
///
/// The callback runs on a thread of gevt's, never on the caller's, and may call any gevt function and block. Callbacks are not
/// part of a stream: gevt_sync() and everything behind the record in its stream may finish before, during or after the callback,
/// and callbacks run in no particular order and in parallel. gevt_stream_launch() runs a function in stream order. A callback that
/// has not started when the process exits does not run.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE, GEVT_ERROR_ILLEGAL_STATE, GEVT_ERROR_CAPTURED_EVENT, GEVT_ERROR_CONTEXT_IS_DESTROYED: as for
///   gevt_query().
/// - A status with GEVT_DETAIL_EVENT_FAILED: the event has failed already, as for gevt_query(); `fn` is not called.
/// - GEVT_ERROR_OUT_OF_MEMORY: there is no memory or thread left to run the callback.
///
/// # Safety
/// It must be sound to call `fn(user, status)` on another thread, until it has run.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_on_complete(
    ev: gevt_event_t,
    r#fn: gevt_complete_fn_t,
    user: *mut c_void,
) -> gevt_status_t {
    call("gevt_on_complete", ev.bits(), || {
        let function = r#fn.ok_or(Error::NullPointer("fn"))?;
        let user = User(user);
        ev.named().on_complete(move |status| function(user.take(), status.0))
    })
}
