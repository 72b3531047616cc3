//! The exported functions that record events.

use super::boundary::{CHandle, call};
use super::types::{gevt_event_t, gevt_status_t, gevt_stream_t};
use gevt_core::RecordFlags;

/// Records an event on a stream: the event completes when the stream has done everything that it was given before this call.
/// Follows cuEventRecord.
///
/// Replaces the last record; waits that were already issued keep the record that they were issued for. Does not block. Several
/// threads may record one event at once; one of their records is then the last.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE: `ev` is not a live event, `s` is neither NULL nor a live stream, or the event is bound to another
///   context than the stream's.
/// - GEVT_ERROR_OUT_OF_MEMORY: there is no memory left. On the host backend also if 255 records of one GEVT_EVENT_INTERPROCESS
///   event are pending, or if 125 running processes have recorded it.
/// - GEVT_ERROR_NOT_SUPPORTED: on Vulkan, the queue was wrapped without lock functions, or the event is GEVT_EVENT_INTERPROCESS or a
///   point of gevt_vulkan_wrap_point().
/// - GEVT_ERROR_ILLEGAL_STATE: the event was created with GEVT_EVENT_HOST_SIGNALED. On Vulkan also if this thread has a batch open on
///   the queue.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_record(ev: gevt_event_t, s: gevt_stream_t) -> gevt_status_t {
    call("gevt_record", ev.bits(), || ev.named().record(s.named()))
}

/// Records an event on a stream, with flags. Follows cuEventRecordWithFlags.
///
/// `flags` is GEVT_RECORD_DEFAULT, or GEVT_RECORD_EXTERNAL on a stream that is being captured.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `flags` has an unknown bit.
/// - GEVT_ERROR_ILLEGAL_STATE: GEVT_RECORD_EXTERNAL was used on a stream that is not being captured. Otherwise as
///   for gevt_record().
/// - GEVT_ERROR_INVALID_HANDLE, GEVT_ERROR_OUT_OF_MEMORY, GEVT_ERROR_NOT_SUPPORTED: as for gevt_record().
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_record_with_flags(ev: gevt_event_t, s: gevt_stream_t, flags: u32) -> gevt_status_t {
    call("gevt_record_with_flags", ev.bits(), || ev.named().record_with(s.named(), RecordFlags::from_bits(flags)))
}
