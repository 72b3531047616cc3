//! The exported function that queries events.

use super::boundary::call_unless_done;
use super::types::{gevt_event_t, gevt_status_t};
use gevt_core::Event;

/// Returns whether an event has completed. Like cuEventQuery.
///
/// Never blocks. Once an event is known to be complete, the driver is not asked again.
///
/// # Errors
/// - GEVT_SUCCESS: the last record has completed, or the event was never recorded.
/// - GEVT_ERROR_NOT_READY: the last record is pending.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_query(ev: gevt_event_t) -> gevt_status_t {
    call_unless_done("gevt_query", ev, Event::query)
}
