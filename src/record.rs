//! The exported functions that record events.

use super::boundary::call;
use super::types::{gevt_event_t, gevt_record_flags_t, gevt_status_t, gevt_stream_t};
use gevt_core::RecordFlags;

/// Records an event on a stream. Like cuEventRecord.
///
/// The event completes when all work submitted to the stream before this call has finished. A new record replaces the previous one. Waits
/// that were already issued keep waiting for the record they saw. Never blocks.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE: the event is bound to another context than the stream's.
/// - GEVT_ERROR_ILLEGAL_STATE: the event is host-signaled. On Vulkan also: this thread has a batch open on the queue.
/// - GEVT_ERROR_NOT_SUPPORTED: on Vulkan, the queue has no lock functions, or the event is an interprocess event or a wrapped point.
/// - GEVT_ERROR_OUT_OF_MEMORY: on the host also: 255 records of an interprocess event are pending, or 125 processes have recorded it.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_record(ev: gevt_event_t, s: gevt_stream_t) -> gevt_status_t {
    call("gevt_record", ev.handle(), || ev.record(s))
}

/// Records an event on a stream, with flags. Like cuEventRecordWithFlags.
///
/// `flags` is GEVT_RECORD_DEFAULT, or GEVT_RECORD_EXTERNAL on a stream that is being captured. Otherwise like gevt_record().
///
/// # Errors
/// - GEVT_ERROR_ILLEGAL_STATE: GEVT_RECORD_EXTERNAL was used on a stream that is not being captured.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_record_with_flags(
    ev: gevt_event_t,
    s: gevt_stream_t,
    flags: gevt_record_flags_t,
) -> gevt_status_t {
    call("gevt_record_with_flags", ev.handle(), || ev.record_with(s, RecordFlags::from_bits(flags)))
}
