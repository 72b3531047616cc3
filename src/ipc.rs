//! The exported functions that share events between processes.

use super::boundary::{CHandle, Out, call, call_for};
use super::types::{gevt_context_t, gevt_event_t, gevt_ipc_handle_t, gevt_status_t};
use gevt_core::{Error, Event, Handle};

/// Returns the bytes with which other processes can open an event. Like cuIpcGetEventHandle.
///
/// The event must have been created with GEVT_EVENT_INTERPROCESS. If it is not bound yet, it is bound to the current context. The bytes
/// are the same each time, need not be released, and can be opened as long as this process keeps the event. From now on, the event's
/// state is that of the last record by any process.
///
/// If a process ends or calls exec() before its record completes, waits on the host return GEVT_ERROR_CONTEXT_IS_DESTROYED with
/// GEVT_DETAIL_IPC_PEER_GONE within 100 ms. On CUDA they never return: use timeouts. Both processes must belong to the same user.
/// docs/INTERPROCESS.md has the limits and the costs.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE: the event has no GEVT_EVENT_INTERPROCESS, or was imported.
/// - GEVT_ERROR_NOT_SUPPORTED: the backend is Vulkan, the system is Windows, or /proc or memfd_create is missing.
///
/// # Safety
/// `handle` must be NULL or valid for a write.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_ipc_export(handle: *mut gevt_ipc_handle_t, ev: gevt_event_t) -> gevt_status_t {
    // SAFETY: this function requires `handle` to be NULL or valid for a write until it returns.
    let handle = unsafe { Out::new(handle, "handle") };
    call_for("gevt_ipc_export", ev.bits(), handle, || ev.named().export().map(|bytes| gevt_ipc_handle_t { bytes }))
}

/// Opens an event of another process. Like cuIpcOpenEventHandle.
///
/// The new event has its own handle, flags and name. It can be recorded, queried and waited for, but has no timing and cannot be
/// exported. `ctx` must be of the exporter's backend; NULL is the current context. `handle` may have any alignment. Damaged or forged
/// bytes are refused.
///
/// # Errors
/// - GEVT_ERROR_INVALID_CONTEXT: this process exported the event.
/// - GEVT_ERROR_MAP_FAILED: the event cannot be opened. GEVT_DETAIL_IPC_BAD_HANDLE, GEVT_DETAIL_IPC_PEER_GONE or
///   GEVT_DETAIL_IPC_FOREIGN_USER tells why.
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
