//! Events between processes.

use super::boundary::{CHandle, Out, call};
use super::types::{gevt_context_t, gevt_event_t, gevt_ipc_handle_t, gevt_status_t};
use gevt_core::{Error, Event, Handle};

/// Gives the bytes under which other processes open the event with gevt_ipc_import, as cuIpcGetEventHandle. From then on each
/// side sees the records of all others, can wait for them and can record. An event without a context is bound to the
/// current one, for good.
///
/// `ev` was created with GEVT_EVENT_INTERPROCESS. `out` receives the bytes, the same ones each time; nobody has to give
/// them back. They can be opened while this process lives and keeps the event. On the host also after it was destroyed, until
/// some 256 others were exported. Those that have opened it keep it in any case.
///
/// The last record counts: the event is done when the process that recorded it last has come to the record. On the host, where
/// that process ends before, or runs another program, all who wait get GEVT_ERROR_CONTEXT_IS_DESTROYED with
/// GEVT_DETAIL_IPC_PEER_GONE within 100 ms, and the event is GEVT_EVENT_FAILED until somebody records it again. A stream that
/// waited goes on with its functions. Events that are recorded on it behind that wait, in other processes too, and streams
/// that wait for those, fail in the same way, until gevt_stream_sync or gevt_context_sync has told of it. The order that the
/// default stream makes does not pass a failure on. On CUDA all wait for ever: use the forms with a timeout.
///
/// On the host the other process has to run as the same user and to see the same /proc. Each event takes 4 to 64 KiB of memory,
/// by how many of its records are pending at once, and 256 of them a file descriptor, which closes on exec. Both are given back
/// some 512 exports after the event was destroyed.
///
/// GEVT_ERROR_INVALID_VALUE: `out` or `ev` is NULL. GEVT_ERROR_INVALID_HANDLE: `ev` is not a live event handle, was created
/// without GEVT_EVENT_INTERPROCESS, or was imported itself. GEVT_ERROR_OUT_OF_MEMORY: there is no memory or no descriptor for
/// it. GEVT_ERROR_NOT_SUPPORTED: the host backend needs /proc and memfd_create, and one is not there.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_ipc_export(ev: gevt_event_t, out: *mut gevt_ipc_handle_t) -> gevt_status_t {
    call("gevt_ipc_export", ev.bits(), || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(out, "out") }?;
        ev.named().export().map(|bytes| out.write(gevt_ipc_handle_t { bytes }))
    })
}

/// Opens an event of another process, as cuIpcOpenEventHandle. It is a new event of this process's, with its own handle, flags
/// and name: it can be recorded, queried and waited for as any other, but has no timing and cannot be exported.
///
/// `out` receives a handle that the caller destroys; the exporter's event and those of other importers stay as they are.
/// `ctx` may be NULL for the current context; it has to be of the exporter's backend, and streams that record the event are
/// of that context. `handle` points to the bytes that gevt_ipc_export gave, from any address.
///
/// Bytes that were damaged, made up, cut short or taken from somewhere else are refused, and never followed.
/// GEVT_ERROR_MAP_FAILED: `handle` names no event that can be opened. The detail is GEVT_DETAIL_IPC_BAD_HANDLE, or on the host
/// GEVT_DETAIL_IPC_PEER_GONE where the exporter has ended, or GEVT_DETAIL_IPC_FOREIGN_USER where it belongs to somebody else.
/// GEVT_ERROR_INVALID_CONTEXT: this process exported it. GEVT_ERROR_INVALID_VALUE: `out` or `handle` is NULL.
/// GEVT_ERROR_INVALID_HANDLE: `ctx` is not a live context handle. GEVT_ERROR_OUT_OF_MEMORY: there is no memory or no
/// descriptor for it. GEVT_ERROR_NOT_SUPPORTED: as for gevt_ipc_export.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_ipc_import(
    out: *mut gevt_event_t,
    ctx: gevt_context_t,
    handle: *const gevt_ipc_handle_t,
) -> gevt_status_t {
    call("gevt_ipc_import", Handle::NULL, || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(out, "out") }?;
        if handle.is_null() {
            return Err(Error::NullPointer("handle"));
        }
        // SAFETY: not NULL, and by the caller's promise valid for a read. It may lie anywhere in the caller's memory.
        let handle = unsafe { handle.read_unaligned() };
        Event::import(ctx.named(), &handle.bytes).map(|event| out.write(CHandle::from_named(event)))
    })
}
