//! The exported functions of contexts: devices of a backend.

use super::boundary::{CHandle, Out, call};
use super::sync::deadline;
use super::types::{gevt_backend_t, gevt_context_t, gevt_status_t};
use gevt_core::{Backend, Context, Handle};
use std::ffi::c_void;

/// Counts the devices of a backend. Follows cuDeviceGetCount.
///
/// `count` receives the number. The host backend has 1 device, or as many as the environment variable GEVT_HOST_DEVICES says when
/// gevt is first used, from 1 to 64.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `count` is NULL, or `backend` is not a backend, or is GEVT_BACKEND_AUTO and the environment variable
///   GEVT_BACKEND names none.
/// - GEVT_ERROR_NO_DEVICE: the backend has no driver or no device on this machine.
///
/// # Safety
/// `count` must be NULL or valid for a write.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_device_count(count: *mut i32, backend: gevt_backend_t) -> gevt_status_t {
    call("gevt_device_count", Handle::NULL, || {
        // SAFETY: this function requires `count` to be NULL or valid for a write until it returns.
        let count = unsafe { Out::new(count, "count") }?;
        Context::device_count(Backend(backend)).map(|n| count.write(n))
    })
}

/// Opens a device of a backend. On CUDA this retains the device's primary context, like cuDevicePrimaryCtxRetain.
///
/// `out` receives a handle that the caller closes with gevt_context_close(). `device` counts from 0. Opening a device twice gives
/// two handles to one context.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `out` is NULL, or `backend` is not a backend, or is GEVT_BACKEND_AUTO and the environment variable
///   GEVT_BACKEND names none.
/// - GEVT_ERROR_NO_DEVICE: the backend has no driver or no device on this machine.
/// - GEVT_ERROR_INVALID_DEVICE: the backend has no device with this number.
///
/// # Safety
/// `out` must be NULL or valid for a write.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_context_open(
    out: *mut gevt_context_t,
    backend: gevt_backend_t,
    device: i32,
) -> gevt_status_t {
    call("gevt_context_open", Handle::NULL, || {
        // SAFETY: this function requires `out` to be NULL or valid for a write until it returns.
        let out = unsafe { Out::new(out, "out") }?;
        Context::open(Backend(backend), device).map(|handle| out.write(CHandle::from_named(handle)))
    })
}

/// Creates a handle for a CUcontext that the caller owns.
///
/// `out` receives a handle that the caller closes; the CUcontext remains the caller's and should live as long as the handle and its
/// streams and events are used.
///
/// If the CUcontext is destroyed earlier, or is a primary context that is reset, further calls with its streams and events fail
/// with GEVT_ERROR_CONTEXT_IS_DESTROYED, and none of their native handles reaches the driver; destroying and closing them succeeds.
/// The same holds for contexts of gevt_context_open(). gevt cannot detect a context that ends on another thread while a call is
/// in progress: end it when no thread is in a call that uses it and the callbacks of gevt_on_complete() have run. A driver older
/// than CUDA 12.0 does not say whether a context was destroyed: there the CUcontext must live until the last handle is gone.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `out` or `native` is NULL, or `backend` is not a backend, or is GEVT_BACKEND_AUTO and the environment variable
///   GEVT_BACKEND names none.
/// - GEVT_ERROR_NOT_SUPPORTED: `backend` is the host, which has no native contexts, or Vulkan, which has
///   gevt_vulkan_wrap_device().
/// - GEVT_ERROR_NO_DEVICE: the backend has no driver or no device on this machine.
///
/// # Safety
/// `out` must be NULL or valid for a write. `native` must be NULL or a live CUcontext, which must not end during a call that uses it.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_context_wrap(
    out: *mut gevt_context_t,
    backend: gevt_backend_t,
    native: *mut c_void,
) -> gevt_status_t {
    call("gevt_context_wrap", Handle::NULL, || {
        // SAFETY: this function requires `out` to be NULL or valid for a write until it returns.
        let out = unsafe { Out::new(out, "out") }?;
        // SAFETY: this function requires `native` to be NULL or a live context, which must not end during a call that uses it.
        let wrapped = unsafe { Context::wrap(Backend(backend), native as u64) };
        wrapped.map(|handle| out.write(CHandle::from_named(handle)))
    })
}

/// Closes a context handle.
///
/// Streams and events of the context live on. The context ends with the last of its handles, streams, events and pending waits for events of
/// other backends. On CUDA, the call
/// that ends a context may block until the driver has released it. A context of gevt_vulkan_wrap_device() ends with its last handle:
/// see there. In a forked child and during exit the call succeeds and does
/// nothing.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE: `ctx` is not a live context.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_context_close(ctx: gevt_context_t) -> gevt_status_t {
    call("gevt_context_close", ctx.bits(), || ctx.named().close())
}

/// Sets the calling thread's current context, which is the one that NULL stands for.
///
/// NULL restores the default: the CUcontext that is current on the thread if there is one, else device 0 of the backend that
/// GEVT_BACKEND_AUTO selects. The thread's current CUcontext does not change.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE: `ctx` is neither NULL nor a live context.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_context_set_current(ctx: gevt_context_t) -> gevt_status_t {
    call("gevt_context_set_current", ctx.bits(), || ctx.named().set_current())
}

/// Returns the calling thread's current context.
///
/// `out` receives the handle that was set, or one that belongs to gevt if none was set. The caller does not close it.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `out` is NULL. With GEVT_DETAIL_BAD_ARGUMENT: the thread has not set a context, and the environment variable
///   GEVT_BACKEND names no backend.
/// - GEVT_ERROR_NO_DEVICE: the thread has not set a context, and the backend that GEVT_BACKEND names has no driver or no device on this machine.
/// - GEVT_ERROR_INVALID_HANDLE: the handle that was set has been closed.
///
/// # Safety
/// `out` must be NULL or valid for a write.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_context_get_current(out: *mut gevt_context_t) -> gevt_status_t {
    call("gevt_context_get_current", Handle::NULL, || {
        // SAFETY: this function requires `out` to be NULL or valid for a write until it returns.
        let out = unsafe { Out::new(out, "out") }?;
        Context::current().map(|handle| out.write(CHandle::from_named(handle)))
    })
}

/// Blocks until all streams of the context have finished everything that they were given before the call. Follows
/// cuCtxSynchronize.
///
/// `ctx` may be NULL for the calling thread's current context.
///
/// # Errors
/// - GEVT_ERROR_ILLEGAL_STATE: the call comes from a host function of a stream of the context, as for gevt_sync().
/// - GEVT_ERROR_CONTEXT_IS_DESTROYED: as for gevt_stream_sync(), for any stream of the context.
/// - A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_stream_sync(), for any stream of the context.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_context_sync(ctx: gevt_context_t) -> gevt_status_t {
    call("gevt_context_sync", ctx.bits(), || ctx.named().sync())
}

/// Blocks until all streams of the context have finished everything that they were given before the call, or until the timeout
/// expires. Otherwise like gevt_context_sync().
///
/// `ctx` may be NULL for the calling thread's current context. `timeout_ns` is in nanoseconds. 0 checks once and does not block;
/// GEVT_TIMEOUT_INFINITE never expires. On CUDA, a finite timeout waits for an event of cuCtxRecordEvent, at least for 100
/// microseconds.
///
/// # Errors
/// - GEVT_ERROR_TIMEOUT: the timeout expired.
/// - GEVT_ERROR_NOT_SUPPORTED: the timeout is finite, and the driver is older than CUDA 12.5.
/// - GEVT_ERROR_INVALID_HANDLE, GEVT_ERROR_ILLEGAL_STATE, GEVT_ERROR_CONTEXT_IS_DESTROYED: as for gevt_context_sync().
/// - A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_context_sync().
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_context_sync_timeout(ctx: gevt_context_t, timeout_ns: u64) -> gevt_status_t {
    call("gevt_context_sync_timeout", ctx.bits(), || ctx.named().sync_until(deadline(timeout_ns)))
}

/// Returns the native object behind a context: its CUcontext, or its VkDevice.
///
/// `native` receives the object, which stays gevt's or its owner's: do not destroy it. A CUcontext lives as long as the handle `ctx`, and
/// so does a VkDevice. `ctx` may be NULL: the current context.
///
/// # Errors
/// - GEVT_ERROR_NOT_SUPPORTED: the context is of the host, which has no native objects.
///
/// # Safety
/// `native` must be NULL or valid for a write.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_context_native(native: *mut *mut c_void, ctx: gevt_context_t) -> gevt_status_t {
    call("gevt_context_native", ctx.bits(), || {
        // SAFETY: this function requires `native` to be NULL or valid for a write until it returns.
        let native = unsafe { Out::new(native, "native") }?;
        ctx.named().native().map(|bits| native.write(bits as *mut c_void))
    })
}
