//! The exported functions that block until events complete.

use super::boundary::{CHandle, Out, call, call_unless_done};
use super::types::{GEVT_TIMEOUT_INFINITE, gevt_event_t, gevt_status_t};
use gevt_core::{AnyFailure, Deadline, Error, Event, Handle, Result};
use std::time::Duration;

/// Blocks until the event's last record is complete. Follows cuEventSynchronize.
///
/// The record is the last one at the time of this call. Returns at once if it is complete or if the event was never recorded. The
/// event may be destroyed during the call, which then still waits for the record. On the host backend the thread spins for some
/// microseconds before it sleeps; on CUDA it waits as the driver does. With GEVT_EVENT_BLOCKING_SYNC it sleeps at once on both.
///
/// Everything that the stream was given before the record has finished when the call returns: functions of gevt_stream_launch()
/// have returned. Callbacks of gevt_on_complete() may still run or may not have started. What CUDA kernels have printed appears at the
/// latest when gevt_stream_sync() or gevt_context_sync() returns: if the event is complete already, cuEventSynchronize is not called.
///
/// # Errors
/// - GEVT_ERROR_ILLEGAL_STATE: a GEVT_EVENT_STRICT event was never recorded. With GEVT_DETAIL_WOULD_DEADLOCK: the call comes
///   from a host function of a host or Vulkan stream, and the event was recorded on that stream after the function. Other waits
///   that can never end are not detected.
/// - GEVT_ERROR_CAPTURED_EVENT: the event was last recorded in a stream capture.
/// - A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_query().
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_sync(ev: gevt_event_t) -> gevt_status_t {
    call_unless_done("gevt_sync", ev, Event::sync)
}

/// Blocks until the event's last record is complete or the timeout expires. Otherwise like gevt_sync().
///
/// `timeout_ns` is in nanoseconds. 0 checks once and does not block; GEVT_TIMEOUT_INFINITE never expires.
///
/// # Errors
/// - GEVT_ERROR_TIMEOUT: the timeout expired.
/// - GEVT_ERROR_INVALID_HANDLE, GEVT_ERROR_ILLEGAL_STATE, GEVT_ERROR_CAPTURED_EVENT, GEVT_ERROR_CONTEXT_IS_DESTROYED: as for
///   gevt_sync().
/// - A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_query().
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_sync_timeout(ev: gevt_event_t, timeout_ns: u64) -> gevt_status_t {
    call_unless_done("gevt_sync_timeout", ev, |event| event.sync_until(deadline(timeout_ns)))
}

/// Blocks until the event's last record is complete or the timeout expires, and meanwhile runs functions of host streams and callbacks on the
/// calling thread. Otherwise like gevt_sync_timeout().
///
/// Only for a thread that holds no lock, and is in no state, that such functions may need: any function of any host stream may run inside
/// this call, with `worker` numbers of gevt_stream_launch_n() as on any other thread. The thread runs functions while fewer than
/// gevt_host_get_threads() run; inside a host function it counts as one of them already. The call returns when the event is
/// complete and the function that it runs has returned, which may be later than the timeout.
///
/// Inside a function that runs inside this call it may be called again, up to 4 deep on one thread; deeper, it only waits. If the call is
/// made in a host function, a function that runs inside it cannot wait for what comes after that host function in its stream: the wait is
/// refused with GEVT_DETAIL_WOULD_DEADLOCK.
///
/// # Errors
/// - GEVT_ERROR_TIMEOUT: the timeout expired.
/// - GEVT_ERROR_INVALID_HANDLE, GEVT_ERROR_ILLEGAL_STATE, GEVT_ERROR_CAPTURED_EVENT, GEVT_ERROR_CONTEXT_IS_DESTROYED: as for
///   gevt_sync().
/// - A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_query().
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_sync_helping(ev: gevt_event_t, timeout_ns: u64) -> gevt_status_t {
    call_unless_done("gevt_sync_helping", ev, |event| event.sync_helping_until(deadline(timeout_ns)))
}

/// Blocks until each of `n` events is complete or has failed, or the timeout expires.
///
/// `evs` is an array of `n` handles; it may be NULL if `n` is 0, which succeeds. `timeout_ns` is as for gevt_sync_timeout(). All
/// handles are checked before the call blocks. An event that has failed does not end the call while others are pending. If several have
/// failed, the result is that of the first one in the array.
///
/// # Errors
/// - GEVT_ERROR_TIMEOUT: the timeout expired.
/// - GEVT_ERROR_INVALID_HANDLE, GEVT_ERROR_ILLEGAL_STATE, GEVT_ERROR_CAPTURED_EVENT, GEVT_ERROR_CONTEXT_IS_DESTROYED: as for
///   gevt_sync().
/// - A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_query().
///
/// # Safety
/// `evs` must be NULL or point to `n` handles that do not change during the call.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_sync_all(evs: *const gevt_event_t, n: usize, timeout_ns: u64) -> gevt_status_t {
    call("gevt_sync_all", Handle::NULL, || {
        // SAFETY: this function requires of `evs` what `list` does.
        let evs = unsafe { list(evs, n, "evs") }?;
        Event::sync_all(evs, deadline(timeout_ns))
    })
}

/// Blocks until one of `n` events is complete or the timeout expires.
///
/// `index` receives the position in `evs` of an event that is complete, the lowest one if there are several. `evs` is an array of
/// `n` handles. `timeout_ns` is as for gevt_sync_timeout(). All handles are checked before the call blocks. An event that has failed ends
/// the call with its status, unless one before it in the array is complete; `index` then receives the position of the event that
/// failed. No other error writes `index`.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `index` or `evs` is NULL, or `n` is 0.
/// - GEVT_ERROR_TIMEOUT: the timeout expired.
/// - GEVT_ERROR_INVALID_HANDLE, GEVT_ERROR_CAPTURED_EVENT, GEVT_ERROR_CONTEXT_IS_DESTROYED: as for gevt_sync(), for the first event that
///   fails.
/// - GEVT_ERROR_ILLEGAL_STATE: as for gevt_sync(); with GEVT_DETAIL_WOULD_DEADLOCK only if all of the events were recorded after the calling
///   host function on its own stream.
/// - A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_query(), for the first event that fails.
///
/// # Safety
/// `index` must be NULL or valid for a write. `evs` must be NULL or point to `n` handles that do not change during the call.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_sync_any(
    index: *mut usize,
    evs: *const gevt_event_t,
    n: usize,
    timeout_ns: u64,
) -> gevt_status_t {
    call("gevt_sync_any", Handle::NULL, || {
        // SAFETY: this function requires `index` to be NULL or valid for a write until it returns.
        let index = unsafe { Out::new(index, "index") }?;
        // SAFETY: this function requires of `evs` what `list` does.
        let evs = unsafe { list(evs, n, "evs") }?;
        match Event::sync_any(evs, deadline(timeout_ns)) {
            Ok(place) => {
                index.write(place);
                Ok(())
            }
            Err(AnyFailure { error, place }) => {
                if let Some(place) = place {
                    index.write(place);
                }
                Err(error)
            }
        }
    })
}

/// Returns the deadline of a timeout that begins now.
pub(super) fn deadline(timeout_ns: u64) -> Deadline {
    if timeout_ns == GEVT_TIMEOUT_INFINITE {
        Deadline::NEVER
    } else {
        Deadline::after(Duration::from_nanos(timeout_ns))
    }
}

/// Returns the handles of the caller's array, which need not be aligned.
///
/// # Safety
/// `evs` must be NULL or point to `n` handles that do not change for as long as the iterator is used.
pub(super) unsafe fn list(
    evs: *const gevt_event_t,
    n: usize,
    name: &'static str,
) -> Result<impl ExactSizeIterator<Item = Event> + Clone> {
    if n > 0 && evs.is_null() {
        return Err(Error::NullPointer(name));
    }
    if n > isize::MAX as usize / size_of::<gevt_event_t>() {
        return Err(Error::BadArgument("n"));
    }
    // SAFETY: each place is below `n`, and so within the array by this function's requirement.
    Ok((0..n).map(move |place| unsafe { evs.add(place).read_unaligned() }.named()))
}
