//! The exported functions that record, query and time events, and that call back when one completes.

use super::boundary::{CHandle, Out, User, call};
use super::types::{gevt_complete_fn_t, gevt_event_t, gevt_status_t, gevt_stream_t};
use gevt_core::{Error, Event, Result};
use std::ffi::c_void;

/// Records an event on a stream: the event completes when the stream has done everything that it was given before this call.
/// Follows cuEventRecord.
///
/// Replaces the last record; waits that were already issued keep the record that they were issued for. Does not block. Several
/// threads may record one event at once; one of their records is then the last.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE: `ev` is not a live event, `s` is neither NULL nor a live stream, or the event is bound to another
///   context than the stream's.
/// - GEVT_ERROR_OUT_OF_MEMORY: there is no memory left. On the host backend also if 4092 records of one GEVT_EVENT_INTERPROCESS
///   event are pending, or if as many running processes have recorded it.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_record(ev: gevt_event_t, s: gevt_stream_t) -> gevt_status_t {
    call("gevt_record", ev.bits(), || ev.named().record(s.named(), 0))
}

/// Records an event on a stream, with flags. Follows cuEventRecordWithFlags.
///
/// `flags` is GEVT_RECORD_DEFAULT, or GEVT_RECORD_EXTERNAL on a stream that is being captured.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `flags` has an unknown bit.
/// - GEVT_ERROR_ILLEGAL_STATE: GEVT_RECORD_EXTERNAL was used on a stream that is not being captured.
/// - GEVT_ERROR_INVALID_HANDLE, GEVT_ERROR_OUT_OF_MEMORY: as for gevt_record().
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_record_with_flags(ev: gevt_event_t, s: gevt_stream_t, flags: u32) -> gevt_status_t {
    call("gevt_record_with_flags", ev.bits(), || ev.named().record(s.named(), flags))
}

/// Returns whether the event's last record is complete. Follows cuEventQuery.
///
/// Does not block. Once the record is known to be complete, the answer comes from memory, without a call into the driver.
///
/// # Returns
/// - GEVT_SUCCESS: the record is complete, or the event was never recorded.
/// - GEVT_ERROR_NOT_READY: the record is pending.
/// - GEVT_ERROR_INVALID_HANDLE: `ev` is not a live event.
/// - GEVT_ERROR_ILLEGAL_STATE: a GEVT_EVENT_STRICT event was never recorded.
/// - GEVT_ERROR_CAPTURED_EVENT: the event was last recorded in a stream capture.
/// - GEVT_ERROR_CONTEXT_IS_DESTROYED: the context was destroyed. With GEVT_DETAIL_IPC_PEER_GONE: the process that made the last
///   record has ended, see gevt_ipc_export().
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_query(ev: gevt_event_t) -> gevt_status_t {
    if ev.named().is_settled() {
        return super::codes::GEVT_SUCCESS;
    }
    call("gevt_query", ev.bits(), || ev.named().query())
}

/// Computes the time between two events in milliseconds. Follows cuEventElapsedTime.
///
/// `ms` receives the time from the completion of `start` to that of `end`; it is negative if `end` came first. The resolution is
/// a nanosecond on the host backend and that of the driver on CUDA. Does not block. The errors are checked in the order of this
/// list.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `ms` is NULL.
/// - GEVT_ERROR_INVALID_HANDLE: `start` or `end` is not a live event, they are bound to different contexts, one has no timing, or
///   one was never recorded.
/// - GEVT_ERROR_CAPTURED_EVENT: an event was last recorded in a stream capture.
/// - GEVT_ERROR_NOT_READY: an event is pending.
///
/// # Safety
/// `ms` must be NULL or valid for a write.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_elapsed(ms: *mut f32, start: gevt_event_t, end: gevt_event_t) -> gevt_status_t {
    call("gevt_elapsed", start.bits(), || {
        // SAFETY: this function requires `ms` to be NULL or valid for a write until it returns.
        let ms = unsafe { Out::new(ms, "ms") }?;
        give(Event::elapsed(start.named(), end.named()), |ns| ms.write((ns as f64 / 1e6) as f32))
    })
}

/// Computes the time between two events in nanoseconds, without rounding it to a float. Otherwise like gevt_elapsed().
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `ns` is NULL.
/// - GEVT_ERROR_INVALID_HANDLE, GEVT_ERROR_CAPTURED_EVENT, GEVT_ERROR_NOT_READY: as for gevt_elapsed().
///
/// # Safety
/// `ns` must be NULL or valid for a write.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_elapsed_ns(ns: *mut i64, start: gevt_event_t, end: gevt_event_t) -> gevt_status_t {
    call("gevt_elapsed_ns", start.bits(), || {
        // SAFETY: this function requires `ns` to be NULL or valid for a write until it returns.
        let out = unsafe { Out::new(ns, "ns") }?;
        give(Event::elapsed(start.named(), end.named()), |ns| out.write(ns))
    })
}

/// Writes a time if it is known, and returns whether it is.
fn give(elapsed: Result<Option<i64>>, write: impl FnOnce(i64)) -> Result<bool> {
    Ok(elapsed?.map(write).is_some())
}

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
/// - GEVT_ERROR_INVALID_VALUE: `fn` is NULL.
/// - GEVT_ERROR_INVALID_HANDLE, GEVT_ERROR_ILLEGAL_STATE, GEVT_ERROR_CAPTURED_EVENT, GEVT_ERROR_CONTEXT_IS_DESTROYED: as for
///   gevt_query().
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
