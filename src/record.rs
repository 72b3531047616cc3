//! Record, query, elapsed time and callbacks.

use super::boundary::{CHandle, Out, User, call};
use super::types::{gevt_complete_fn_t, gevt_event_t, gevt_status_t, gevt_stream_t};
use gevt_core::{Error, Event, Result};
use std::ffi::c_void;

/// Records the event on the stream, as cuEventRecord: the event is done when the stream has done all that it holds at this
/// call. Overwrites the last record; waits that were already issued keep the record that they saw.
///
/// Does not block. Several threads may record one event at once; then one of the records is the last.
/// GEVT_ERROR_INVALID_HANDLE: `ev` or `s` is not a live handle of its kind, or the event is bound to another context than the
/// stream's. GEVT_ERROR_OUT_OF_MEMORY: there is no memory for it; on the host also where 4092 records of one
/// GEVT_EVENT_INTERPROCESS event are pending, or as many processes have recorded it that still run.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_record(ev: gevt_event_t, s: gevt_stream_t) -> gevt_status_t {
    call("gevt_record", ev.bits(), || ev.named().record(s.named(), 0))
}

/// As gevt_record, with flags, as cuEventRecordWithFlags.
///
/// `flags` is GEVT_RECORD_DEFAULT, or GEVT_RECORD_EXTERNAL in a capture.
/// GEVT_ERROR_INVALID_VALUE: `flags` has an unknown bit. GEVT_ERROR_ILLEGAL_STATE: GEVT_RECORD_EXTERNAL outside a capture.
/// Otherwise as gevt_record.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_record_with_flags(ev: gevt_event_t, s: gevt_stream_t, flags: u32) -> gevt_status_t {
    call("gevt_record_with_flags", ev.bits(), || ev.named().record(s.named(), flags))
}

/// Is the event's last record done? As cuEventQuery. Asks nobody once it is known to be.
///
/// Returns GEVT_SUCCESS where it is, or where the event was never recorded; GEVT_ERROR_NOT_READY where it is not.
/// GEVT_ERROR_INVALID_HANDLE: `ev` is not a live event handle. GEVT_ERROR_ILLEGAL_STATE: a GEVT_EVENT_STRICT event was never
/// recorded. GEVT_ERROR_CAPTURED_EVENT: it was last recorded in a capture. GEVT_ERROR_CONTEXT_IS_DESTROYED with
/// GEVT_DETAIL_IPC_PEER_GONE: another process had to come to the record, see gevt_ipc_export; a query may find that out some
/// 100 ms after it could be known.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_query(ev: gevt_event_t) -> gevt_status_t {
    if ev.named().is_settled() {
        return super::codes::GEVT_SUCCESS;
    }
    call("gevt_query", ev.bits(), || ev.named().query())
}

/// The time from one event to another in milliseconds, as cuEventElapsedTime; less than zero where `end` came first.
///
/// `ms` receives the time. The resolution is the host's clock (nanoseconds) on the host backend, and the device's on CUDA.
/// The checks come in this order: GEVT_ERROR_INVALID_VALUE: `ms` is NULL. GEVT_ERROR_INVALID_HANDLE: a handle is not a live
/// event's, the events are bound to different contexts, one has no timing, or one was never recorded.
/// GEVT_ERROR_CAPTURED_EVENT: one was last recorded in a capture. GEVT_ERROR_NOT_READY: one is not done.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_elapsed(ms: *mut f32, start: gevt_event_t, end: gevt_event_t) -> gevt_status_t {
    call("gevt_elapsed", start.bits(), || {
        // SAFETY: the caller's promise.
        let ms = unsafe { Out::new(ms, "ms") }?;
        give(Event::elapsed(start.named(), end.named()), |ns| ms.write((ns as f64 / 1e6) as f32))
    })
}

/// As gevt_elapsed, in nanoseconds and without rounding to a float.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_elapsed_ns(ns: *mut i64, start: gevt_event_t, end: gevt_event_t) -> gevt_status_t {
    call("gevt_elapsed_ns", start.bits(), || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(ns, "ns") }?;
        give(Event::elapsed(start.named(), end.named()), |ns| out.write(ns))
    })
}

/// Passes on a time that is known; false where it is not known yet.
fn give(elapsed: Result<Option<i64>>, write: impl FnOnce(i64)) -> Result<bool> {
    Ok(elapsed?.map(write).is_some())
}

/// Calls `fn(user, status)` once, when the event's last record at this call is done; at once where it is done already. A later
/// record, or the event's end, does not change that.
///
/// The call comes on a thread of gevt's, never on the caller's. The function may call any function of gevt, also gevt_destroy
/// on the event, and may block. `status` is GEVT_SUCCESS, or why the event can no longer be done. Functions that have not
/// begun when the process exits are not called.
/// GEVT_ERROR_INVALID_VALUE: `fn` is NULL. GEVT_ERROR_OUT_OF_MEMORY: there is no memory or no thread for it. Otherwise as
/// gevt_query, but for GEVT_ERROR_NOT_READY.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_on_complete(ev: gevt_event_t, r#fn: gevt_complete_fn_t, user: *mut c_void) -> gevt_status_t {
    call("gevt_on_complete", ev.bits(), || {
        let function = r#fn.ok_or(Error::NullPointer("fn"))?;
        let user = User(user);
        ev.named().on_complete(move |status| function(user.take(), status.0))
    })
}
