//! The exported functions that start and stop a trace.

use super::boundary::call;
use super::types::gevt_status_t;
use gevt_core::{Error, Handle};
use std::ffi::{CStr, c_char};

/// Starts writing a trace of events and streams in Chrome's trace format, for Perfetto and chrome://tracing.
///
/// `path` names a regular file, which is created or overwritten; on Windows it is UTF-8. The file is valid JSON at all times. After a
/// crash the last 10 milliseconds or so are missing. exit() ends the trace. The environment variable GEVT_TRACE=FILE traces a whole
/// program without this call. docs/TRACING.md describes the contents and the costs.
///
/// # Errors
/// - GEVT_ERROR_ILLEGAL_STATE: a trace is already running.
/// - GEVT_ERROR_OPERATING_SYSTEM: the file cannot be created or written, or another trace is being written to it.
///
/// # Safety
/// `path` must be NULL or a NUL-terminated string that does not change during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_trace_start(path: *const c_char) -> gevt_status_t {
    call("gevt_trace_start", Handle::NULL, || {
        if path.is_null() {
            return Err(Error::NullPointer("path"));
        }
        // SAFETY: not NULL, so this function requires it to be a string that does not change during the call.
        gevt_trace::start(unsafe { CStr::from_ptr(path) })
    })
}

/// Ends the trace and blocks until its file is written.
///
/// # Errors
/// - GEVT_ERROR_ILLEGAL_STATE: no trace is running.
/// - GEVT_ERROR_OPERATING_SYSTEM: the file could not be written to its end. The trace has ended.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_trace_stop() -> gevt_status_t {
    call("gevt_trace_stop", Handle::NULL, gevt_trace::stop)
}
