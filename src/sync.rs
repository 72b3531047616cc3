//! Waiting for events.

use super::boundary::{CHandle, Out, call};
use super::types::{gevt_event_t, gevt_status_t};
use gevt_core::{Deadline, Error, Event, Handle, Result};

/// Blocks until the event's last record at this call is done, as cuEventSynchronize. Returns at once where it is done, or
/// where the event was never recorded.
///
/// On the host backend it spins for some microseconds and then parks; on CUDA it waits as the driver does. For a
/// GEVT_EVENT_BLOCKING_SYNC event it gives its core away at once on both. Destroying the event meanwhile
/// is allowed, and changes nothing for this call.
/// GEVT_ERROR_INVALID_HANDLE: `ev` is not a live event handle. GEVT_ERROR_ILLEGAL_STATE: a GEVT_EVENT_STRICT event was never
/// recorded, or the call comes from a host function of the very stream that the event was recorded on, behind that function.
/// GEVT_ERROR_CAPTURED_EVENT: the event was last recorded in a capture. GEVT_ERROR_CONTEXT_IS_DESTROYED with
/// GEVT_DETAIL_IPC_PEER_GONE: another process had to come to the record, see gevt_ipc_export.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_sync(ev: gevt_event_t) -> gevt_status_t {
    if ev.named().is_settled() {
        return super::codes::GEVT_SUCCESS;
    }
    call("gevt_sync", ev.bits(), || ev.named().sync(Deadline::NEVER))
}

/// As gevt_sync, for `timeout_ns` nanoseconds at the most. 0 looks once; GEVT_TIMEOUT_INFINITE waits for ever.
///
/// GEVT_ERROR_TIMEOUT: the time ran out. Otherwise as gevt_sync.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_sync_timeout(ev: gevt_event_t, timeout_ns: u64) -> gevt_status_t {
    if ev.named().is_settled() {
        return super::codes::GEVT_SUCCESS;
    }
    call("gevt_sync_timeout", ev.bits(), || ev.named().sync(Deadline::after(timeout_ns)))
}

/// Blocks until all `n` events are done, for `timeout_ns` nanoseconds at the most. All handles are checked before it waits.
///
/// `evs` is an array of `n` handles; it may be NULL where `n` is 0, which is a success.
/// GEVT_ERROR_INVALID_VALUE: `evs` is NULL. GEVT_ERROR_TIMEOUT: the time ran out. Otherwise as gevt_sync, for the first event
/// that fails.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_sync_all(evs: *const gevt_event_t, n: usize, timeout_ns: u64) -> gevt_status_t {
    call("gevt_sync_all", Handle::NULL, || {
        // SAFETY: the caller's promise.
        let evs = unsafe { list(evs, n) }?;
        Event::sync_all(evs.iter().map(|ev| ev.named()), Deadline::after(timeout_ns))
    })
}

/// Blocks until one of `n` events is done, for `timeout_ns` nanoseconds at the most. All handles are checked before it waits.
///
/// `evs` is an array of `n` handles. `index` receives the place of the event in it, the first where several are done.
/// GEVT_ERROR_INVALID_VALUE: `evs` or `index` is NULL, or `n` is 0. GEVT_ERROR_TIMEOUT: the time ran out. Otherwise as
/// gevt_sync, for the first event that fails.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_sync_any(
    evs: *const gevt_event_t,
    n: usize,
    timeout_ns: u64,
    index: *mut usize,
) -> gevt_status_t {
    call("gevt_sync_any", Handle::NULL, || {
        // SAFETY: the caller's promise.
        let index = unsafe { Out::new(index, "index") }?;
        // SAFETY: the caller's promise.
        let evs = unsafe { list(evs, n) }?;
        Event::sync_any(evs.iter().map(|ev| ev.named()), Deadline::after(timeout_ns)).map(|place| index.write(place))
    })
}

/// The caller's array.
///
/// # Safety
/// `evs` is NULL or points to `n` handles, which stay as they are during the call.
unsafe fn list<'a>(evs: *const gevt_event_t, n: usize) -> Result<&'a [gevt_event_t]> {
    if n == 0 {
        return Ok(&[]);
    }
    if evs.is_null() {
        return Err(Error::NullPointer("evs"));
    }
    if !evs.is_aligned() || n > isize::MAX as usize / size_of::<gevt_event_t>() {
        return Err(Error::BadArgument("n"));
    }
    // SAFETY: not NULL, aligned, not too long, and valid by the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(evs, n) })
}
