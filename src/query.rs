//! The exported function that queries events.

use super::boundary::call_unless_done;
use super::types::{gevt_event_t, gevt_status_t};
use gevt_core::Event;

/// Returns whether the event's last record is complete. Follows cuEventQuery.
///
/// Does not block. Once the record is known to be complete, the answer comes from memory, without a call into the driver.
///
/// # Returns
/// - GEVT_SUCCESS: the record is complete, or the event was never recorded.
/// - GEVT_ERROR_NOT_READY: the record is pending.
/// - GEVT_ERROR_ILLEGAL_STATE: a GEVT_EVENT_STRICT event was never recorded.
/// - GEVT_ERROR_CAPTURED_EVENT: the event was last recorded in a stream capture.
/// - The status of gevt_signal(), with GEVT_DETAIL_EVENT_FAILED: the event was signalled with a failure, or was recorded behind a wait for
///   such an event.
/// - GEVT_ERROR_CONTEXT_IS_DESTROYED: the context was destroyed. With GEVT_DETAIL_IPC_PEER_GONE: the process that made the last
///   record has ended, see gevt_ipc_export().
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_query(ev: gevt_event_t) -> gevt_status_t {
    call_unless_done("gevt_query", ev, Event::query)
}
