//! The exported functions that block until events complete.

use super::boundary::{CHandle, Out, call, call_unless_done};
use super::types::{GEVT_TIMEOUT_INFINITE, gevt_event_t, gevt_status_t};
use gevt_core::{AnyFailure, Deadline, Error, Event, Handle, Result};
use std::time::Duration;

/// Blocks until an event completes. Like cuEventSynchronize.
///
/// Waits for the record that is the last one at the time of the call. Returns at once if the event was never recorded. Host functions
/// that were queued before the record have returned; callbacks of gevt_on_complete() may still run. The event may be destroyed meanwhile.
///
/// Spins for up to 20 microseconds of the caller's CPU time, then sleeps, except that CUDA's own wait spins all the time. With
/// GEVT_EVENT_BLOCKING_SYNC the call sleeps at once, which saves that time and wakes up some microseconds later.
///
/// # Errors
/// - GEVT_ERROR_ILLEGAL_STATE: with GEVT_DETAIL_WOULD_DEADLOCK, a host function waits for an event that its own stream reaches only
///   later. No other deadlock is detected.
#[must_use]
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
#[must_use]
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
#[must_use]
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
#[must_use]
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
