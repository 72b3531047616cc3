//! The exported functions that share events between processes.

use super::boundary::{CHandle, Out, call};
use super::types::{gevt_context_t, gevt_event_t, gevt_ipc_handle_t, gevt_status_t};
use gevt_core::{Error, Event, Handle};

/// Returns the bytes with which other processes can open an event. Follows cuIpcGetEventHandle.
///
/// `handle` receives the bytes, the same ones each time; they need not be released. `ev` must have been created with
/// GEVT_EVENT_INTERPROCESS. An event without a context is bound to the calling thread's current one, for good. From now on each
/// process sees the records of all the others. The event's state is that of the last record, whichever process made it. The bytes
/// can be opened as long as this process keeps the event; importers keep it even longer.
///
/// If a process ends, or calls exec(), before its stream has reached the last record:
/// - On the host backend all waits return GEVT_ERROR_CONTEXT_IS_DESTROYED with GEVT_DETAIL_IPC_PEER_GONE within 100 ms, and the
///   event is in GEVT_STATE_FAILED until it is recorded again. A stream that waits for the event continues. Events that are
///   recorded on it behind that wait, and streams that wait for those, fail in the same way until gevt_stream_sync() or
///   gevt_context_sync() has returned the failure.
/// - On CUDA all waits last for ever. Use functions with a timeout.
///
/// On the host backend both processes must run as the same user, with access to the same /proc, and the exporter must be dumpable:
/// a process that has changed its user must call prctl(PR_SET_DUMPABLE, 1). docs/INTERPROCESS.md has the details and the costs.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE: `ev` is not a live event, was created without GEVT_EVENT_INTERPROCESS, or was imported.
/// - GEVT_ERROR_NOT_SUPPORTED: the host backend needs /proc and memfd_create, and one is missing; or the backend is Vulkan.
/// - GEVT_ERROR_NO_DEVICE: the event is not bound yet, and the default backend cannot be used: see gevt_context_get_current(), also for
///   GEVT_ERROR_INVALID_VALUE.
///
/// # Safety
/// `handle` must be NULL or valid for a write.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_ipc_export(handle: *mut gevt_ipc_handle_t, ev: gevt_event_t) -> gevt_status_t {
    call("gevt_ipc_export", ev.bits(), || {
        // SAFETY: this function requires `handle` to be NULL or valid for a write until it returns.
        let handle = unsafe { Out::new(handle, "handle") }?;
        ev.named().export().map(|bytes| handle.write(gevt_ipc_handle_t { bytes }))
    })
}

/// Opens an event of another process. Follows cuIpcOpenEventHandle.
///
/// `out` receives the handle of a new event, which the caller destroys. It has its own flags and name, and can be recorded, queried
/// and waited for like any other event, but has no timing and cannot be exported. `ctx` is the context in which the event is
/// opened; NULL is the calling thread's current context. It must be of the exporter's backend. `handle` points to the bytes from
/// gevt_ipc_export(), with any alignment. Bytes that were damaged or made up are refused.
///
/// # Errors
/// - GEVT_ERROR_INVALID_CONTEXT: the event was exported by this process.
/// - GEVT_ERROR_MAP_FAILED: the event cannot be opened. The detail is GEVT_DETAIL_IPC_BAD_HANDLE or, on the host backend,
///   GEVT_DETAIL_IPC_PEER_GONE if the exporter has ended and GEVT_DETAIL_IPC_FOREIGN_USER if it belongs to another user.
/// - GEVT_ERROR_NOT_SUPPORTED: as for gevt_ipc_export().
///
/// # Safety
/// `out` must be NULL or valid for a write. `handle` must be NULL or valid for a read.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_ipc_import(
    out: *mut gevt_event_t,
    ctx: gevt_context_t,
    handle: *const gevt_ipc_handle_t,
) -> gevt_status_t {
    call("gevt_ipc_import", Handle::NULL, || {
        // SAFETY: this function requires `out` to be NULL or valid for a write until it returns.
        let out = unsafe { Out::new(out, "out") }?;
        if handle.is_null() {
            return Err(Error::NullPointer("handle"));
        }
        // SAFETY: not NULL, so this function requires it to be valid for a read; it need not be aligned.
        let handle = unsafe { handle.read_unaligned() };
        Event::import(ctx.named(), &handle.bytes).map(|event| out.write(CHandle::from_named(event)))
    })
}
