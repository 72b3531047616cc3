//! Streams.

use super::boundary::{CHandle, Out, call};
use super::types::{gevt_context_t, gevt_event_t, gevt_host_fn_t, gevt_status_t, gevt_stream_t};
use gevt_core::{Error, Handle, HostFn, Stream};
use std::ffi::c_void;

/// Makes a stream, as cuStreamCreate. What it is given runs in order; a stream that is not GEVT_STREAM_NON_BLOCKING is also
/// ordered against the context's default stream, both ways.
///
/// `out` receives a handle that the caller destroys. `ctx` may be NULL for the current context.
/// GEVT_ERROR_INVALID_VALUE: `out` is NULL, or `flags` has an unknown bit. GEVT_ERROR_INVALID_HANDLE: `ctx` is not a live
/// context handle. GEVT_ERROR_OUT_OF_MEMORY: there is no memory for it.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_stream_create(out: *mut gevt_stream_t, ctx: gevt_context_t, flags: u32) -> gevt_status_t {
    call("gevt_stream_create", Handle::NULL, || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(out, "out") }?;
        Stream::create(ctx.named(), flags).map(|handle| out.write(CHandle::from_named(handle)))
    })
}

/// Borrows a stream that the caller owns, a CUstream, for as long as the handle is used. 0 and 1 are the context's default
/// stream, on the host too, and 2 is the own stream of whichever thread uses the handle.
///
/// `out` receives a handle that the caller destroys; the CUstream stays the caller's. `ctx` may be NULL for the current
/// context, and must be the stream's.
/// GEVT_ERROR_INVALID_VALUE: `out` is NULL. GEVT_ERROR_INVALID_HANDLE: `ctx` is not a live context handle, or the stream is
/// another context's. GEVT_ERROR_NOT_SUPPORTED: another number than 0, 1 or 2 on the host.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_stream_adopt(
    out: *mut gevt_stream_t,
    ctx: gevt_context_t,
    native: *mut c_void,
) -> gevt_status_t {
    call("gevt_stream_adopt", Handle::NULL, || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(out, "out") }?;
        Stream::adopt(ctx.named(), native as u64).map(|handle| out.write(CHandle::from_named(handle)))
    })
}

/// Destroys a stream, as cuStreamDestroy. Never blocks: what it was given still runs. An adopted stream lives on.
///
/// GEVT_ERROR_INVALID_HANDLE: `s` is NULL or not a live stream handle. GEVT_SUCCESS, with nothing done, in a forked child
/// and during exit.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_stream_destroy(s: gevt_stream_t) -> gevt_status_t {
    call("gevt_stream_destroy", s.bits(), || s.named().destroy())
}

/// Has the stream done all that it was given? As cuStreamQuery.
///
/// Returns GEVT_SUCCESS where it has, GEVT_ERROR_NOT_READY where it has not. GEVT_ERROR_INVALID_HANDLE: `s` is not a live
/// stream handle. GEVT_ERROR_CONTEXT_IS_DESTROYED with GEVT_DETAIL_IPC_PEER_GONE: it has, but without something that it had to
/// wait for, see gevt_ipc_export.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_stream_query(s: gevt_stream_t) -> gevt_status_t {
    call("gevt_stream_query", s.bits(), || s.named().query())
}

/// Blocks until the stream has done all that it was given before the call, as cuStreamSynchronize.
///
/// GEVT_ERROR_INVALID_HANDLE: `s` is not a live stream handle. GEVT_ERROR_ILLEGAL_STATE: called by a function that the
/// stream runs, for which it would wait for ever. GEVT_ERROR_CONTEXT_IS_DESTROYED with GEVT_DETAIL_IPC_PEER_GONE: as
/// gevt_stream_query; what the stream is given after this answer does not fail for that reason any more.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_stream_sync(s: gevt_stream_t) -> gevt_status_t {
    call("gevt_stream_sync", s.bits(), || s.named().sync())
}

/// Lets all that the stream is given from now on wait for the event's last record, as cuStreamWaitEvent. The event may be
/// another context's or device's. A later record does not change the wait. An event that was never recorded is not waited
/// for.
///
/// Does not block. `flags` is GEVT_WAIT_DEFAULT, or GEVT_WAIT_EXTERNAL in a capture.
/// GEVT_ERROR_INVALID_VALUE: `flags` has an unknown bit. GEVT_ERROR_INVALID_HANDLE: `s` or `ev` is not a live handle of its
/// kind, or they are of different backends. GEVT_ERROR_ILLEGAL_STATE: GEVT_WAIT_EXTERNAL outside a capture, or a
/// GEVT_EVENT_STRICT event without a record.
/// GEVT_ERROR_CONTEXT_IS_DESTROYED with GEVT_DETAIL_IPC_PEER_GONE: the record is known not to come, and the stream does not
/// wait; where that turns out later, the stream fails, see gevt_ipc_export.
/// In a capture a stream that waits for an event of the capture joins it; what the driver refuses there comes back as it is.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_stream_wait(s: gevt_stream_t, ev: gevt_event_t, flags: u32) -> gevt_status_t {
    call("gevt_stream_wait", ev.bits(), || s.named().wait(ev.named(), flags))
}

/// Runs `fn(user)` once all that the stream was given before is done, on a thread of gevt's (on CUDA: of the driver's), as
/// cuLaunchHostFunc. What the stream is given later waits for it.
///
/// Does not block. On the host backend the function may call any function of gevt and may block: only its own stream waits
/// for it, as long as no more than 1,000 functions block at once. On CUDA it may only ask gevt what needs no driver, and
/// holds back the functions of other streams. Functions that have not begun when the process exits do not run.
/// GEVT_ERROR_INVALID_VALUE: `fn` is NULL. GEVT_ERROR_INVALID_HANDLE: `s` is not a live stream handle.
/// GEVT_ERROR_OUT_OF_MEMORY: no memory, or no thread to run it.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_stream_launch(s: gevt_stream_t, r#fn: gevt_host_fn_t, user: *mut c_void) -> gevt_status_t {
    call("gevt_stream_launch", s.bits(), || {
        let function = r#fn.ok_or(Error::NullPointer("fn"))?;
        s.named().launch(HostFn { function, user })
    })
}
