//! The exported functions of events that the program signals.

use super::boundary::call;
use super::types::{gevt_event_t, gevt_status_t};
use gevt_core::Status;

/// Completes a host-signaled event. Like vkSignalSemaphore.
///
/// An event with GEVT_EVENT_HOST_SIGNALED is pending from its creation until this call, and again after gevt_reset(). It needs no stream,
/// belongs to the host backend, and cannot be recorded; all other functions take it. Its time is the time of this call. Never blocks.
/// Host functions and callbacks may call it.
///
/// `status` is GEVT_SUCCESS or a failure. A failure is what query and sync functions return and what callbacks receive. Records that
/// streams of any backend make after a wait for the event fail with it as well, until gevt_stream_sync() or gevt_context_sync() has
/// returned it.
///
/// With GEVT_EVENT_INTERPROCESS other processes can wait for the event, but only the process that created it can signal it.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `status` is GEVT_ERROR_NOT_READY or GEVT_ERROR_TIMEOUT.
/// - GEVT_ERROR_ILLEGAL_STATE: the event is not host-signaled, or has been signaled already.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_signal(ev: gevt_event_t, status: gevt_status_t) -> gevt_status_t {
    call("gevt_signal", ev.handle(), || ev.signal(Status(status)))
}

/// Makes a host-signaled event pending again. Like vkResetEvent.
///
/// Waits that were already issued keep the signal, or the failure, that they were issued for. Does nothing if the event is pending.
///
/// # Errors
/// - GEVT_ERROR_ILLEGAL_STATE: the event is not host-signaled.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_reset(ev: gevt_event_t) -> gevt_status_t {
    call("gevt_reset", ev.handle(), || ev.reset())
}
