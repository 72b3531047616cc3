//! The exported functions that block until events complete.

use super::array::list;
use super::boundary::{call, call_unless_done};
use super::out::Out;
use super::types::{GEVT_TIMEOUT_INFINITE, gevt_event_t, gevt_status_t};
use gevt_core::{AnyFailure, Event, Handle};
use std::time::{Duration, Instant};

/// Blocks until an event completes. Like cuEventSynchronize.
///
/// Waits for the record that is the last one at the time of the call. Returns at once if the event was never recorded. Host functions
/// that were queued before the record have returned; callbacks of gevt_on_complete() may still run. The event may be destroyed meanwhile.
///
/// Spins for up to 20 microseconds of the caller's CPU time, then sleeps, except that CUDA's own wait spins all the time. With
/// GEVT_EVENT_BLOCKING_SYNC the call sleeps at once, which saves that time and wakes up some microseconds later. On Vulkan it sleeps at
/// once with and without the flag.
///
/// # Errors
/// - GEVT_ERROR_ILLEGAL_STATE: with GEVT_DETAIL_WOULD_DEADLOCK, a host function waits for an event that its own stream reaches only
///   later. No other deadlock is detected.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_sync(ev: gevt_event_t) -> gevt_status_t {
    call_unless_done("gevt_sync", ev, Event::sync)
}

/// Blocks until an event completes or the timeout expires. Otherwise like gevt_sync().
///
/// `timeout_ns` is in nanoseconds. 0 checks once without blocking, and GEVT_TIMEOUT_INFINITE never expires.
///
/// # Errors
/// - GEVT_ERROR_TIMEOUT: the timeout expired first.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_sync_timeout(ev: gevt_event_t, timeout_ns: u64) -> gevt_status_t {
    call_unless_done("gevt_sync_timeout", ev, |event| event.sync_until(deadline(timeout_ns)))
}

/// Blocks like gevt_sync_timeout(), and meanwhile runs queued host functions and callbacks on the calling thread.
///
/// Hold no locks: any queued function of any host stream may run on this thread before the call returns. The thread runs functions while
/// fewer than gevt_host_get_threads() run. The call returns when the function that it runs at the moment has returned, which may be after
/// the timeout. Calls nest 4 deep on one thread; deeper calls only wait.
///
/// # Errors
/// - GEVT_ERROR_TIMEOUT: the timeout expired first.
/// - GEVT_ERROR_ILLEGAL_STATE: as for gevt_sync(), for every host function that is suspended on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_sync_helping(ev: gevt_event_t, timeout_ns: u64) -> gevt_status_t {
    call_unless_done("gevt_sync_helping", ev, |event| event.sync_helping_until(deadline(timeout_ns)))
}

/// Blocks until each of `n` events has completed or failed, or the timeout expires.
///
/// `evs` may be NULL if `n` is 0. All handles are checked before the call blocks. If several events have failed, the first one in the
/// array decides the status. `timeout_ns` is as for gevt_sync_timeout().
///
/// # Errors
/// - GEVT_ERROR_TIMEOUT: the timeout expired first.
///
/// # Safety
/// `evs` must be NULL or point to `n` handles that do not change during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_sync_all(evs: *const gevt_event_t, n: usize, timeout_ns: u64) -> gevt_status_t {
    call("gevt_sync_all", Handle::NULL, || {
        // SAFETY: this function requires of `evs` what `list` does.
        let evs = unsafe { list(evs, n, "evs") }?;
        Event::sync_all(evs, deadline(timeout_ns))
    })
}

/// Blocks until one of `n` events has completed or failed, or the timeout expires.
///
/// `index` receives the lowest position of an event that has completed or failed. It is written on success, and with an event's failure.
/// All handles are checked before the call blocks. `timeout_ns` is as for gevt_sync_timeout().
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `n` is 0.
/// - GEVT_ERROR_TIMEOUT: the timeout expired first.
/// - GEVT_ERROR_ILLEGAL_STATE: as for gevt_sync(); with GEVT_DETAIL_WOULD_DEADLOCK only if it holds for all events.
///
/// # Safety
/// `evs` must be NULL or point to `n` handles that do not change during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_sync_any(
    index: Out<usize>,
    evs: *const gevt_event_t,
    n: usize,
    timeout_ns: u64,
) -> gevt_status_t {
    call("gevt_sync_any", Handle::NULL, || {
        let index = index.check("index")?;
        // SAFETY: this function requires of `evs` what `list` does.
        let evs = unsafe { list(evs, n, "evs") }?;
        let (place, result) = match Event::sync_any(evs, deadline(timeout_ns)) {
            Ok(place) => (Some(place), Ok(())),
            Err(AnyFailure { error, place }) => (place, Err(error)),
        };
        if let Some(place) = place {
            index.write(place);
        }
        result
    })
}

/// Returns the deadline of a timeout that begins now, unless it is infinite.
pub(super) fn deadline(timeout_ns: u64) -> Option<Instant> {
    let timeout = (timeout_ns != GEVT_TIMEOUT_INFINITE).then(|| Duration::from_nanos(timeout_ns))?;
    Instant::now().checked_add(timeout)
}
