//! Events: creation, end, and what they are called.

use super::boundary::{CHandle, Out, call};
use super::types::{gevt_context_t, gevt_event_t, gevt_status_t};
use gevt_core::{Error, Event, Handle};
use std::ffi::{CStr, c_char, c_void};

/// Makes an event, as cuEventCreate; needs no context and touches no device. Its first record binds it to the context of
/// that stream, for good.
///
/// `out` receives a handle that the caller destroys. `flags` are GEVT_EVENT_... bits.
/// GEVT_ERROR_INVALID_VALUE: `out` is NULL, `flags` has an unknown bit, or GEVT_EVENT_INTERPROCESS stands without
/// GEVT_EVENT_DISABLE_TIMING. GEVT_ERROR_OUT_OF_MEMORY: there is no memory for it.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_create(out: *mut gevt_event_t, flags: u32) -> gevt_status_t {
    call("gevt_create", Handle::NULL, || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(out, "out") }?;
        Event::create(flags).map(|handle| out.write(CHandle::from_named(handle)))
    })
}

/// Makes an event that is bound to a context from the start.
///
/// `ctx` may be NULL for the current context. Otherwise as gevt_create, and GEVT_ERROR_INVALID_HANDLE: `ctx` is not a live
/// context handle.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_create_in(out: *mut gevt_event_t, ctx: gevt_context_t, flags: u32) -> gevt_status_t {
    call("gevt_create_in", Handle::NULL, || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(out, "out") }?;
        Event::create_in(ctx.named(), flags).map(|handle| out.write(CHandle::from_named(handle)))
    })
}

/// Borrows an event that the caller owns, a CUevent, for as long as the handle is used. As others may record it too, its
/// completion is asked for every time.
///
/// `out` receives a handle that the caller destroys; the CUevent stays the caller's. `ctx` may be NULL for the current
/// context, and must be the event's. `flags` are those with which the CUevent was created.
/// GEVT_ERROR_INVALID_VALUE: `out` or `native` is NULL, or `flags` as for gevt_create. GEVT_ERROR_INVALID_HANDLE: `ctx` is not
/// a live context handle. GEVT_ERROR_NOT_SUPPORTED: the host backend has no native events.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_adopt(
    out: *mut gevt_event_t,
    ctx: gevt_context_t,
    native: *mut c_void,
    flags: u32,
) -> gevt_status_t {
    call("gevt_adopt", Handle::NULL, || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(out, "out") }?;
        Event::adopt(ctx.named(), native as u64, flags).map(|handle| out.write(CHandle::from_named(handle)))
    })
}

/// Destroys an event, as cuEventDestroy. Never blocks, and no work is cancelled: waits of streams and callbacks that it was
/// given stay, and a thread that is inside a call with the event gets its answer. Later calls find the handle stale.
///
/// GEVT_ERROR_INVALID_HANDLE: `ev` is NULL or not a live event handle. GEVT_SUCCESS, with nothing done, in a forked child
/// and during exit.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_destroy(ev: gevt_event_t) -> gevt_status_t {
    call("gevt_destroy", ev.bits(), || ev.named().destroy())
}

/// Names an event; messages and gevt_get_info show the name.
///
/// `name` is a string in UTF-8, which is copied; more than 63 bytes of it are cut off at a whole character. NULL or an empty
/// one takes the name away.
/// GEVT_ERROR_INVALID_HANDLE: `ev` is not a live event handle. GEVT_ERROR_INVALID_VALUE: `name` is not UTF-8.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_set_name(ev: gevt_event_t, name: *const c_char) -> gevt_status_t {
    call("gevt_set_name", ev.bits(), || {
        let name = if name.is_null() {
            c""
        } else {
            // SAFETY: the caller's promise.
            unsafe { CStr::from_ptr(name) }
        };
        ev.named().set_name(name.to_str().map_err(|_| Error::BadArgument("name"))?)
    })
}

/// Gives the backend's own event out, a CUevent, for a graph node, a launch attribute or another library. As others may then
/// record it, its completion is asked for every time from now on.
///
/// `native` receives the CUevent, which stays gevt's and ends with the handle.
/// GEVT_ERROR_INVALID_VALUE: `native` is NULL. GEVT_ERROR_INVALID_HANDLE: `ev` is not a live event handle.
/// GEVT_ERROR_ILLEGAL_STATE: it is not bound to a context yet. GEVT_ERROR_NOT_SUPPORTED: it is bound to the host backend,
/// which has no native events.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_native(ev: gevt_event_t, native: *mut *mut c_void) -> gevt_status_t {
    call("gevt_native", ev.bits(), || {
        // SAFETY: the caller's promise.
        let native = unsafe { Out::new(native, "native") }?;
        ev.named().native().map(|bits| native.write(bits as *mut c_void))
    })
}
