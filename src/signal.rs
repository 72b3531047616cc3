//! The exported functions of events that the program signals.

use super::boundary::{CHandle, call};
use super::types::{gevt_event_t, gevt_status_t};
use gevt_core::Status;

/// Completes an event that was created with GEVT_EVENT_HOST_SIGNALED.
///
/// `status` is GEVT_SUCCESS, or the failure that everybody gets who waits for the event: gevt_query() and the sync functions return it,
/// callbacks are called with it, and what a stream records behind a wait for the event fails with it, until gevt_stream_sync()
/// or gevt_context_sync() has returned it. Does not block. Any thread may call it, also host functions and callbacks.
///
/// A host-signalled event is pending from its creation on, and again after gevt_reset(). It needs no stream and is bound to the host
/// backend: to its first device by gevt_create(), to that of the context by gevt_create_in(). Its time is that of the signal. It
/// cannot be recorded; every other function takes it. If it is destroyed before it was signalled, those who wait for it get
/// GEVT_ERROR_CONTEXT_IS_DESTROYED. gevt cannot see who is going to signal it: a thread that waits for a signal of its own waits
/// for ever, and so does a stream that waits for a signal by a function that it has been given after the wait.
///
/// Other processes can wait for a host-signalled event that was created with GEVT_EVENT_INTERPROCESS, see gevt_ipc_export(). Only the process
/// that created it signals it. If that process ends before, they get GEVT_ERROR_CONTEXT_IS_DESTROYED.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `status` is GEVT_ERROR_NOT_READY or GEVT_ERROR_TIMEOUT, which say that an event is pending.
/// - GEVT_ERROR_ILLEGAL_STATE: the event was created without GEVT_EVENT_HOST_SIGNALED, or has been signalled already.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_signal(ev: gevt_event_t, status: gevt_status_t) -> gevt_status_t {
    call("gevt_signal", ev.bits(), || ev.named().signal(Status(status)))
}

/// Makes an event that was created with GEVT_EVENT_HOST_SIGNALED pending again.
///
/// Waits that were issued before keep the signal that they were issued for, or its failure. Does nothing to an event that was not
/// signalled yet.
///
/// # Errors
/// - GEVT_ERROR_ILLEGAL_STATE: the event was created without GEVT_EVENT_HOST_SIGNALED.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_reset(ev: gevt_event_t) -> gevt_status_t {
    call("gevt_reset", ev.bits(), || ev.named().reset())
}
