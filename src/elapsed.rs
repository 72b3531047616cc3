//! The exported functions that compute the time between events.

use super::boundary::{CHandle, Out, call_briefly};
use super::types::{gevt_event_t, gevt_status_t};
use gevt_core::{Event, Result};

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
    call_briefly("gevt_elapsed", start.bits(), || {
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
    call_briefly("gevt_elapsed_ns", start.bits(), || {
        // SAFETY: this function requires `ns` to be NULL or valid for a write until it returns.
        let out = unsafe { Out::new(ns, "ns") }?;
        give(Event::elapsed(start.named(), end.named()), |ns| out.write(ns))
    })
}

/// Writes a time if it is known, and returns whether it is.
fn give(elapsed: Result<Option<i64>>, write: impl FnOnce(i64)) -> Result<bool> {
    Ok(elapsed?.map(write).is_some())
}
