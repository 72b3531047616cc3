//! The exported functions of contexts: devices of a backend.

use super::boundary::{call, call_for};
use super::out::Out;
use super::sync::deadline;
use super::types::{gevt_backend_t, gevt_context_t, gevt_status_t};
use gevt_core::{Backend, Context, Handle};
use std::ffi::c_void;

/// Returns the number of devices of a backend. Like cuDeviceGetCount.
///
/// The host has 1 device, or as many as the environment variable GEVT_HOST_DEVICES says (1 to 64).
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `backend` is unknown, or is GEVT_BACKEND_AUTO while the variable GEVT_BACKEND names no backend.
/// - GEVT_ERROR_NO_DEVICE: the backend has no driver or no device on this machine.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_device_count(count: Out<i32>, backend: gevt_backend_t) -> gevt_status_t {
    call_for("gevt_device_count", Handle::NULL, count.check("count"), || Context::device_count(Backend(backend)))
}

/// Opens a device of a backend. On CUDA like cuDevicePrimaryCtxRetain.
///
/// `device` counts from 0. The caller closes the handle with gevt_context_close(). Opening a device twice gives two handles to one
/// context.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE, GEVT_ERROR_NO_DEVICE: as for gevt_device_count().
/// - GEVT_ERROR_INVALID_DEVICE: the backend has no device with this number.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_context_open(out: Out<gevt_context_t>, backend: gevt_backend_t, device: i32) -> gevt_status_t {
    call_for("gevt_context_open", Handle::NULL, out.check("out"), || Context::open(Backend(backend), device))
}

/// Creates a context for a CUcontext of the caller.
///
/// The CUcontext remains the caller's. If it is destroyed, or reset as a primary context, calls with its streams and events return
/// GEVT_ERROR_CONTEXT_IS_DESTROYED, and the driver sees none of their native handles. The first call that needs the driver finds this
/// out. Until then calls that need no driver succeed, such as gevt_create_in(), gevt_wrap(), and queries of events already seen complete.
/// Destroying and closing its handles succeeds. End a CUcontext only while no thread is in a call that uses it and when all callbacks
/// have run. With a driver older than CUDA 12.0, it must outlive all its handles.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE, GEVT_ERROR_NO_DEVICE: as for gevt_device_count(); or `native` is NULL.
/// - GEVT_ERROR_NOT_SUPPORTED: `backend` is not CUDA. For Vulkan use gevt_vulkan_wrap_device().
///
/// # Safety
/// `native` must be NULL or a live CUcontext, which must not end during a call that uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_context_wrap(
    out: Out<gevt_context_t>,
    backend: gevt_backend_t,
    native: *mut c_void,
) -> gevt_status_t {
    // SAFETY: this function requires `native` to be NULL or a live context, which must not end during a call that uses it.
    let wrap = || unsafe { Context::wrap(Backend(backend), native as u64) };
    call_for("gevt_context_wrap", Handle::NULL, out.check("out"), wrap)
}

/// Closes a context handle.
///
/// The context ends with the last of its handles, streams, events and pending waits. The call that ends a context of CUDA may block until
/// the driver has released it. A context of gevt_vulkan_wrap_device() ends with its last handle: see there.
///
/// # Errors
/// None of its own.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_context_close(ctx: gevt_context_t) -> gevt_status_t {
    call("gevt_context_close", ctx.handle(), || ctx.close())
}

/// Sets the calling thread's current context, for which NULL stands in other calls.
///
/// NULL restores the default: the CUcontext that is current on the thread if there is one, else device 0 of GEVT_BACKEND_AUTO. The
/// thread's CUcontext does not change.
///
/// # Errors
/// None of its own.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_context_set_current(ctx: gevt_context_t) -> gevt_status_t {
    call("gevt_context_set_current", ctx.handle(), || ctx.set_current())
}

/// Returns the calling thread's current context.
///
/// If the thread has set none, the handle belongs to gevt: do not close it.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE: the context that was set has been closed.
/// - GEVT_ERROR_INVALID_VALUE: none was set, and the variable GEVT_BACKEND names no backend.
/// - GEVT_ERROR_NO_DEVICE: none was set, and the backend that GEVT_BACKEND names has no driver or no device.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_context_get_current(out: Out<gevt_context_t>) -> gevt_status_t {
    call_for("gevt_context_get_current", Handle::NULL, out.check("out"), Context::current)
}

/// Compares a context's clock with the host's now, for gevt_host_time().
///
/// Optional: call it where a comparison disturbs nothing. On CUDA it may wait for up to a millisecond; on Vulkan it takes one driver call;
/// on the host it does nothing. `ctx` may be NULL for the current context.
///
/// # Errors
/// - GEVT_ERROR_ILLEGAL_STATE: with GEVT_DETAIL_NOT_CALIBRATED, the device was too busy.
/// - GEVT_ERROR_NOT_SUPPORTED: the VkDevice has no calibrated timestamps.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_context_calibrate(ctx: gevt_context_t) -> gevt_status_t {
    call("gevt_context_calibrate", ctx.handle(), || ctx.calibrate())
}

/// Blocks until all streams of a context have finished the work queued before this call. Like cuCtxSynchronize.
///
/// `ctx` may be NULL for the current context. The errors are those of gevt_stream_sync(), for any stream of the context.
///
/// # Errors
/// None of its own.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_context_sync(ctx: gevt_context_t) -> gevt_status_t {
    call("gevt_context_sync", ctx.handle(), || ctx.sync(None))
}

/// Blocks like gevt_context_sync() until the context has finished or the timeout expires.
///
/// `timeout_ns` is as for gevt_sync_timeout().
///
/// # Errors
/// - GEVT_ERROR_TIMEOUT: the timeout expired first.
/// - GEVT_ERROR_NOT_SUPPORTED: the timeout is finite, and the CUDA driver is older than 12.5.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_context_sync_timeout(ctx: gevt_context_t, timeout_ns: u64) -> gevt_status_t {
    call("gevt_context_sync_timeout", ctx.handle(), || ctx.sync(deadline(timeout_ns)))
}

/// Returns the CUcontext or VkDevice of a context.
///
/// The object is borrowed: do not destroy it. It lives as long as the handle.
///
/// # Errors
/// - GEVT_ERROR_NOT_SUPPORTED: the context is of the host.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_context_native(native: Out<*mut c_void>, ctx: gevt_context_t) -> gevt_status_t {
    call_for("gevt_context_native", ctx.handle(), native.check("native"), || {
        ctx.native().map(|bits| bits as *mut c_void)
    })
}
