//! The exported functions that share events between processes.

use super::boundary::call_for;
use super::out::Out;
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
#[unsafe(no_mangle)]
pub extern "C" fn gevt_ipc_export(handle: Out<gevt_ipc_handle_t>, ev: gevt_event_t) -> gevt_status_t {
    call_for("gevt_ipc_export", ev.handle(), handle.check("handle"), || {
        ev.export().map(|bytes| gevt_ipc_handle_t { bytes })
    })
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
/// `handle` must be NULL or valid for a read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_ipc_import(
    out: Out<gevt_event_t>,
    ctx: gevt_context_t,
    handle: *const gevt_ipc_handle_t,
) -> gevt_status_t {
    call_for("gevt_ipc_import", Handle::NULL, out.check("out"), || {
        if handle.is_null() {
            return Err(Error::NullPointer("handle"));
        }
        // SAFETY: not NULL, so this function requires it to be valid for a read; it need not be aligned.
        let handle = unsafe { handle.read_unaligned() };
        Event::import(ctx, &handle.bytes)
    })
}
