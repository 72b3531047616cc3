//! The exported functions that compute the time between events.

use super::array::{list, outs};
use super::boundary::{Outcome, call};
use super::out::Out;
use super::types::{gevt_event_t, gevt_status_t};
use gevt_core::{Event, Handle, Result};

/// Computes the time between two events in milliseconds. Like cuEventElapsedTime.
///
/// The time runs from the completion of `start` to that of `end`, and is negative if `end` completed first. The resolution is 1 ns on the
/// host and the device's elsewhere. Never blocks. The errors are checked in this order.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE: the events are bound to different contexts, one has no timing, or one was never recorded.
/// - GEVT_ERROR_CAPTURED_EVENT: an event was last recorded in a stream capture.
/// - GEVT_ERROR_NOT_READY: an event is pending.
/// - GEVT_ERROR_ILLEGAL_STATE: with GEVT_DETAIL_NO_TIME, on Vulkan no timestamp was written for a record.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_elapsed(ms: Out<f32>, start: gevt_event_t, end: gevt_event_t) -> gevt_status_t {
    call("gevt_elapsed", start.handle(), || {
        let ms = ms.check("ms")?;
        give(Event::elapsed(start, end), |ns| ms.write(milliseconds(ns)))
    })
}

/// Computes the time between two events in nanoseconds, unrounded. Otherwise like gevt_elapsed().
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE, GEVT_ERROR_CAPTURED_EVENT, GEVT_ERROR_NOT_READY, GEVT_ERROR_ILLEGAL_STATE: as for gevt_elapsed().
#[unsafe(no_mangle)]
pub extern "C" fn gevt_elapsed_ns(ns: Out<i64>, start: gevt_event_t, end: gevt_event_t) -> gevt_status_t {
    call("gevt_elapsed_ns", start.handle(), || {
        let out = ns.check("ns")?;
        give(Event::elapsed(start, end), |ns| out.write(ns))
    })
}

/// Computes the times between many pairs of events in one call.
///
/// `statuses[i]` receives what gevt_elapsed_ns() returns for `starts[i]` and `ends[i]`. `ns[i]` receives the time if that is
/// GEVT_SUCCESS, and is not written otherwise. A pair without a time does not fail the call. The four arrays have `n` elements, must not
/// overlap, and may be NULL if `n` is 0. Never blocks. On Vulkan adjacent timestamps are read together.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: an array is NULL, or `n` is too large for an array.
///
/// # Safety
/// Each array must be NULL or have `n` elements: `ns` and `statuses` valid for writes, `starts` and `ends` for reads. The handles do
/// not change during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_elapsed_n(
    ns: *mut i64,
    statuses: *mut gevt_status_t,
    starts: *const gevt_event_t,
    ends: *const gevt_event_t,
    n: usize,
) -> gevt_status_t {
    call("gevt_elapsed_n", Handle::NULL, || {
        // SAFETY: this function requires of each of these arrays what `outs` does.
        let (ns, statuses) = unsafe { (outs(ns, n, "ns")?, outs(statuses, n, "statuses")?) };
        // SAFETY: this function requires of each of these arrays what `list` does.
        let (starts, ends) = unsafe { (list(starts, n, "starts")?, list(ends, n, "ends")?) };
        Event::elapsed_n(starts.zip(ends).map(<[Event; 2]>::from), |place, elapsed| {
            let known = give(elapsed, |time| ns(place, time));
            statuses(place, known.map_or_else(|error| error.status(), |is_known| is_known.status()).0);
        })
    })
}

/// Returns the time at which an event completed, on the host's clock.
///
/// `ns` is in nanoseconds of CLOCK_MONOTONIC (on Windows, of QueryPerformanceCounter). `error_ns` is the greatest error, up or down. It
/// is 0 for events of the host. On a device it is the calibration error plus the timestamp's resolution plus 500 ppm of the time since
/// the calibration, so recent events are the most accurate.
///
/// Never waits for the device. It uses the last calibration: that of gevt_context_calibrate(), or one that gevt made since. If the last one
/// is older than a second, Vulkan makes another one in this call (one driver call), and CUDA has one made on gevt's thread.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE: the event has no timing or was never recorded.
/// - GEVT_ERROR_NOT_READY: the event is pending; or, on CUDA, gevt's thread makes the context's first calibration.
/// - GEVT_ERROR_ILLEGAL_STATE: with GEVT_DETAIL_NO_TIME, no timestamp was written; with GEVT_DETAIL_NOT_CALIBRATED, the device was too
///   busy for the first calibration.
/// - GEVT_ERROR_NOT_SUPPORTED: the VkDevice has no calibrated timestamps.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_host_time(ns: Out<i64>, error_ns: Out<u64>, ev: gevt_event_t) -> gevt_status_t {
    call("gevt_host_time", ev.handle(), || {
        let (ns, error_ns) = (ns.check("ns")?, error_ns.check("error_ns")?);
        give(ev.host_time(), |(time, error)| {
            ns.write(time);
            error_ns.write(error);
        })
    })
}

fn milliseconds(ns: i64) -> f32 {
    (ns as f64 / 1e6) as f32
}

/// Writes a time if it is known, and returns whether it is.
fn give<T>(time: Result<Option<T>>, write: impl FnOnce(T)) -> Result<bool> {
    Ok(time?.map(write).is_some())
}
