//! Contexts.

use super::boundary::{CHandle, Out, call};
use super::types::{gevt_backend_t, gevt_context_t, gevt_status_t};
use gevt_core::{Context, Handle};
use std::ffi::c_void;

/// Counts the devices of a backend, as cuDeviceGetCount. The host backend has as many as the environment variable
/// GEVT_HOST_DEVICES says when gevt is first used, from 1 to 64; 1 where it is not set.
///
/// `count` receives the number.
/// GEVT_ERROR_INVALID_VALUE: `count` is NULL, or there is no backend of that number.
/// GEVT_ERROR_NO_DEVICE: the backend cannot run on this machine.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_device_count(backend: gevt_backend_t, count: *mut i32) -> gevt_status_t {
    call("gevt_device_count", Handle::NULL, || {
        // SAFETY: the caller's promise.
        let count = unsafe { Out::new(count, "count") }?;
        Context::device_count(backend).map(|n| count.write(n))
    })
}

/// Opens a device of a backend; on CUDA its primary context, as cuDevicePrimaryCtxRetain. Opening it twice gives two
/// handles to one context.
///
/// `out` receives a handle that the caller closes with gevt_context_close. `device` counts from 0.
/// GEVT_ERROR_INVALID_VALUE: `out` is NULL, or there is no backend of that number.
/// GEVT_ERROR_NO_DEVICE: the backend cannot run on this machine.
/// GEVT_ERROR_INVALID_DEVICE: it has no such device.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_context_open(
    out: *mut gevt_context_t,
    backend: gevt_backend_t,
    device: i32,
) -> gevt_status_t {
    call("gevt_context_open", Handle::NULL, || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(out, "out") }?;
        Context::open(backend, device).map(|handle| out.write(CHandle::from_named(handle)))
    })
}

/// Borrows a context that the caller owns, a CUcontext, for as long as the handle and its streams and events are used.
///
/// `out` receives a handle that the caller closes with gevt_context_close; the CUcontext stays the caller's.
/// GEVT_ERROR_INVALID_VALUE: `out` or `native` is NULL, or there is no backend of that number.
/// GEVT_ERROR_NOT_SUPPORTED: the host backend has no native contexts.
/// GEVT_ERROR_NO_DEVICE: the backend cannot run on this machine.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_context_adopt(
    out: *mut gevt_context_t,
    backend: gevt_backend_t,
    native: *mut c_void,
) -> gevt_status_t {
    call("gevt_context_adopt", Handle::NULL, || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(out, "out") }?;
        Context::adopt(backend, native as u64).map(|handle| out.write(CHandle::from_named(handle)))
    })
}

/// Ends a context handle. Its streams and events go on; the context goes with the last of its handles, streams and events.
///
/// The call that ends the last use of a CUDA context, be it this one or a destroy, may wait for the driver to end it; otherwise
/// it does not block. GEVT_ERROR_INVALID_HANDLE: `ctx` is NULL or not a live context handle. GEVT_SUCCESS, with nothing done,
/// in a forked child and during exit.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_context_close(ctx: gevt_context_t) -> gevt_status_t {
    call("gevt_context_close", ctx.bits(), || ctx.named().close())
}

/// Makes a context the calling thread's current one for gevt: NULL streams are its default stream. The CUDA context that is
/// current on the thread stays as it is.
///
/// NULL goes back to the default: the CUcontext that is current on the thread if there is one, else device 0 of the
/// default backend (see GEVT_BACKEND_AUTO).
/// GEVT_ERROR_INVALID_HANDLE: `ctx` is neither NULL nor a live context handle.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_context_set_current(ctx: gevt_context_t) -> gevt_status_t {
    call("gevt_context_set_current", ctx.bits(), || ctx.named().set_current())
}

/// The calling thread's current context.
///
/// `out` receives the handle that was set, or one that the library keeps for the default context; do not close it.
/// GEVT_ERROR_INVALID_VALUE: `out` is NULL. GEVT_ERROR_INVALID_HANDLE: the handle that was set has been closed.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_context_get_current(out: *mut gevt_context_t) -> gevt_status_t {
    call("gevt_context_get_current", Handle::NULL, || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(out, "out") }?;
        Context::current().map(|handle| out.write(CHandle::from_named(handle)))
    })
}

/// Blocks until all streams of the context have done what they were given before the call, as cuCtxSynchronize.
///
/// `ctx` may be NULL for the current context. GEVT_ERROR_INVALID_HANDLE: it is not a live context handle.
/// GEVT_ERROR_ILLEGAL_STATE: called by a function that a stream of the context runs, for which it would wait for ever.
/// GEVT_ERROR_CONTEXT_IS_DESTROYED with GEVT_DETAIL_IPC_PEER_GONE: as gevt_stream_sync, for any of its streams.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_context_sync(ctx: gevt_context_t) -> gevt_status_t {
    call("gevt_context_sync", ctx.bits(), || ctx.named().sync())
}
