//! The exported functions that create, wrap, name and destroy events.

use super::boundary::{call, call_for};
use super::out::Out;
use super::types::{gevt_context_t, gevt_event_flags_t, gevt_event_t, gevt_status_t};
use gevt_core::{Error, Event, EventFlags, Handle, Result};
use std::ffi::{CStr, c_char, c_void};

/// Creates an event. Like cuEventCreate.
///
/// No device is touched. The first record binds the event to the context of its stream, for good. The caller destroys the event with
/// gevt_destroy(). `flags` is a combination of GEVT_EVENT_... bits.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `flags` has GEVT_EVENT_INTERPROCESS without GEVT_EVENT_DISABLE_TIMING.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_create(out: Out<gevt_event_t>, flags: gevt_event_flags_t) -> gevt_status_t {
    call_for("gevt_create", Handle::NULL, out.check("out"), || Event::create(EventFlags::from_bits(flags)))
}

/// Creates an event that is bound to a context from the start.
///
/// `ctx` may be NULL for the current context. Otherwise like gevt_create().
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: as for gevt_create().
/// - GEVT_ERROR_NOT_SUPPORTED: `flags` has GEVT_EVENT_HOST_SIGNALED, and `ctx` is not a context of the host.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_create_in(
    out: Out<gevt_event_t>,
    ctx: gevt_context_t,
    flags: gevt_event_flags_t,
) -> gevt_status_t {
    call_for("gevt_create_in", Handle::NULL, out.check("out"), || Event::create_in(ctx, EventFlags::from_bits(flags)))
}

/// Creates an event for a CUevent of the caller.
///
/// The CUevent remains the caller's and must live as long as the handle is used. `ctx` is its context, or NULL for the current context.
/// `flags` are the flags with which it was created; a CUevent from cuIpcOpenEventHandle has GEVT_EVENT_INTERPROCESS and
/// GEVT_EVENT_DISABLE_TIMING. Every query asks the driver, because others may record the CUevent.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `native` is NULL, `flags` is invalid as for gevt_create(), or has GEVT_EVENT_HOST_SIGNALED.
/// - GEVT_ERROR_NOT_SUPPORTED: the context is not of CUDA.
///
/// # Safety
/// `native` must be NULL or a CUevent of the context that outlives the handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_wrap(
    out: Out<gevt_event_t>,
    ctx: gevt_context_t,
    native: *mut c_void,
    flags: gevt_event_flags_t,
) -> gevt_status_t {
    // SAFETY: this function requires `native` to be NULL or an event of the context that outlives the handle.
    let wrap = || unsafe { Event::wrap(ctx, native as u64, EventFlags::from_bits(flags)) };
    call_for("gevt_wrap", Handle::NULL, out.check("out"), wrap)
}

/// Destroys an event. Like cuEventDestroy.
///
/// Never blocks. Waits and callbacks that were issued for the event remain, and threads inside a call with the event get their result. If
/// the event is host-signaled and was not signaled, its waiters get GEVT_ERROR_CONTEXT_IS_DESTROYED.
///
/// # Errors
/// None of its own.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_destroy(ev: gevt_event_t) -> gevt_status_t {
    call("gevt_destroy", ev.handle(), || ev.destroy())
}

/// Names an event, for messages, traces and gevt_get_info().
///
/// `name` is UTF-8 and is copied. A name longer than 63 bytes is cut at a character. NULL or "" removes the name.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `name` is not valid UTF-8.
///
/// # Safety
/// `name` must be NULL or a NUL-terminated string that does not change during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_set_name(ev: gevt_event_t, name: *const c_char) -> gevt_status_t {
    call("gevt_set_name", ev.handle(), || {
        // SAFETY: this function requires of `name` what `text` does.
        ev.set_name(unsafe { text(name) }?)
    })
}

/// Returns a name as text; NULL is an empty one.
///
/// # Safety
/// `name` must be NULL or a NUL-terminated string that does not change for as long as the text is used.
pub(super) unsafe fn text<'a>(name: *const c_char) -> Result<&'a str> {
    if name.is_null() {
        return Ok("");
    }
    // SAFETY: not NULL, so this function requires it to be a string that does not change meanwhile.
    unsafe { CStr::from_ptr(name) }.to_str().map_err(|_| Error::BadArgument("name"))
}

/// Returns the CUevent of an event, for graphs, launch attributes and other libraries.
///
/// The CUevent belongs to gevt and lives as long as the event. From now on every query asks the driver, because others may record the
/// CUevent.
///
/// # Errors
/// - GEVT_ERROR_ILLEGAL_STATE: the event is not bound to a context yet.
/// - GEVT_ERROR_NOT_SUPPORTED: the event is not of CUDA. On Vulkan use gevt_vulkan_point().
#[unsafe(no_mangle)]
pub extern "C" fn gevt_native(native: Out<*mut c_void>, ev: gevt_event_t) -> gevt_status_t {
    call_for("gevt_native", ev.handle(), native.check("native"), || ev.native().map(|bits| bits as *mut c_void))
}
