//! The exported functions that compute the time between events.

use super::boundary::{CHandle, Out, call, outs};
use super::sync::list;
use super::types::{gevt_event_t, gevt_status_t};
use gevt_core::{Event, Handle, Result, Status};

/// Computes the time between two events in milliseconds. Follows cuEventElapsedTime.
///
/// `ms` receives the time from the completion of `start` to that of `end`; it is negative if `end` came first. The resolution is
/// a nanosecond on the host backend and that of the driver on CUDA. Does not block. The errors up to
/// GEVT_ERROR_CAPTURED_EVENT are checked in the order of this list.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE: `start` or `end` is not a live event, they are bound to different contexts, one has no timing, or
///   one was never recorded.
/// - GEVT_ERROR_CAPTURED_EVENT: an event was last recorded in a stream capture.
/// - GEVT_ERROR_NOT_READY: an event is pending.
/// - GEVT_ERROR_ILLEGAL_STATE: on Vulkan, with GEVT_DETAIL_NO_TIME, no timestamp was written for a record.
/// - A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_query(), for either event.
///
/// # Safety
/// `ms` must be NULL or valid for a write.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_elapsed(ms: *mut f32, start: gevt_event_t, end: gevt_event_t) -> gevt_status_t {
    call("gevt_elapsed", start.bits(), || {
        // SAFETY: this function requires `ms` to be NULL or valid for a write until it returns.
        let ms = unsafe { Out::new(ms, "ms") }?;
        give(Event::elapsed(start.named(), end.named()), |ns| ms.write(milliseconds(ns)))
    })
}

/// Computes the time between two events in nanoseconds, without rounding it to a float. Otherwise like gevt_elapsed().
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE, GEVT_ERROR_CAPTURED_EVENT, GEVT_ERROR_NOT_READY, GEVT_ERROR_ILLEGAL_STATE,
///   GEVT_ERROR_CONTEXT_IS_DESTROYED: as for gevt_elapsed().
/// - A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_elapsed().
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

/// Computes the times between many pairs of events, like gevt_elapsed_ns() for each, in one call.
///
/// `starts` and `ends` are arrays of `n` handles. `statuses[i]` receives what gevt_elapsed_ns() returns for `starts[i]` and `ends[i]`;
/// `ns[i]` receives the time if that is GEVT_SUCCESS, and is not written otherwise. A pair without a time does not fail the call.
/// gevt_last_detail() does not speak of single pairs. The four arrays must not overlap; they may be NULL if `n` is 0.
///
/// Never blocks. On Vulkan one vkGetQueryPoolResults reads all timestamps that lie next to each other in a query pool, as those of
/// events do whose first timestamps were written one after the other.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `ns`, `statuses`, `starts` or `ends` is NULL, or `n` is too large for an array.
///
/// # Safety
/// Each array must be NULL or have `n` elements: `ns` and `statuses` valid for writes, `starts` and `ends` for reads. The handles do
/// not change during the call.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_elapsed_n(
    ns: *mut i64,
    statuses: *mut gevt_status_t,
    starts: *const gevt_event_t,
    ends: *const gevt_event_t,
    n: usize,
) -> gevt_status_t {
    call("gevt_elapsed_n", Handle::NULL, || {
        // SAFETY: this function requires of `ns` what `outs` does.
        let ns = unsafe { outs(ns, n, "ns") }?;
        // SAFETY: as above.
        let statuses = unsafe { outs(statuses, n, "statuses") }?;
        // SAFETY: this function requires of `starts` what `list` does.
        let starts = unsafe { list(starts, n, "starts") }?;
        // SAFETY: as above.
        let ends = unsafe { list(ends, n, "ends") }?;
        Event::elapsed_n(starts.zip(ends).map(<[Event; 2]>::from), |place, elapsed| {
            let status = match elapsed {
                Ok(Some(time)) => {
                    ns(place, time);
                    Status::SUCCESS
                }
                Ok(None) => Status::NOT_READY,
                Err(error) => error.status(),
            };
            statuses(place, status.0);
        })
    })
}

/// Returns when an event completed, on the host's clock, so that events of different contexts and backends can be compared.
///
/// `ns` receives the nanoseconds that CLOCK_MONOTONIC showed when the event's last record completed; `error_ns` receives how far that may
/// be wrong, up or down. On the host backend, and for GEVT_EVENT_HOST_SIGNALED, the time was read from that clock and the error is 0. On
/// CUDA and Vulkan the device's clock is compared with the host's at the first use, and again when the last comparison is more than
/// a second old. The error is that of the comparison and of the device's resolution, and a two-thousandth of the time between
/// comparison and event: it holds unless the clocks drift apart faster than that, or one is set. So it is smallest for an event that
/// completed lately. The comparison on
/// CUDA records an event on a stream of gevt's own and waits for it, for a millisecond at most.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE: `ev` is not a live event, has no timing, or was never recorded.
/// - GEVT_ERROR_CAPTURED_EVENT: the event was last recorded in a stream capture.
/// - GEVT_ERROR_NOT_READY: the event is pending.
/// - GEVT_ERROR_ILLEGAL_STATE: with GEVT_DETAIL_NO_TIME, no timestamp was written for the record, or on CUDA the device was too busy to compare
///   the clocks.
/// - GEVT_ERROR_NOT_SUPPORTED: the event's VkDevice has neither VK_KHR_calibrated_timestamps nor VK_EXT_calibrated_timestamps.
/// - A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_query().
///
/// # Safety
/// `ns` and `error_ns` must be NULL or valid for a write.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_host_time(ns: *mut i64, error_ns: *mut u64, ev: gevt_event_t) -> gevt_status_t {
    call("gevt_host_time", ev.bits(), || {
        // SAFETY: this function requires `ns` to be NULL or valid for a write until it returns.
        let ns = unsafe { Out::new(ns, "ns") }?;
        // SAFETY: as above, of `error_ns`.
        let error_ns = unsafe { Out::new(error_ns, "error_ns") }?;
        let known = ev.named().host_time()?;
        if let Some((time, error)) = known {
            ns.write(time);
            error_ns.write(error);
        }
        Ok(known.is_some())
    })
}

fn milliseconds(ns: i64) -> f32 {
    (ns as f64 / 1e6) as f32
}

/// Writes a time if it is known, and returns whether it is.
fn give(elapsed: Result<Option<i64>>, write: impl FnOnce(i64)) -> Result<bool> {
    Ok(elapsed?.map(write).is_some())
}
