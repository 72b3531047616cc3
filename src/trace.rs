//! The trace.

use super::boundary::call;
use super::types::gevt_status_t;
use gevt_core::{Error, Handle};
use std::ffi::{CStr, OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Begins to write what events and streams do into a file of Chrome's trace format, which chrome://tracing and Perfetto open:
/// one track for each stream and each thread. docs/TRACING.md says what is drawn.
///
/// `path` names an ordinary file, which is made, or overwritten. Calls that are traced take 100 to 150 ns more. At the most
/// some 12 MiB of memory are used; what comes too fast for the disk is left out, and the file says how much that is. The file
/// is whole JSON at all times: what is missing from it after a crash is the last 50 milliseconds or so. exit() ends the
/// trace, and waits for the disk two seconds at the most. A forked child writes nothing.
/// GEVT_ERROR_INVALID_VALUE: `path` is NULL. GEVT_ERROR_ILLEGAL_STATE: a trace is running; a process has one at a time.
/// GEVT_ERROR_OPERATING_SYSTEM: the file cannot be made or written. GEVT_ERROR_OUT_OF_MEMORY: there is no memory or no thread
/// for it.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_trace_start(path: *const c_char) -> gevt_status_t {
    call("gevt_trace_start", Handle::NULL, || {
        if path.is_null() {
            return Err(Error::NullPointer("path"));
        }
        // SAFETY: not NULL, and by the caller's promise a string that is valid during the call.
        let path = unsafe { CStr::from_ptr(path) };
        gevt_core::start_trace(Path::new(OsStr::from_bytes(path.to_bytes())))
    })
}

/// Ends the trace, and blocks until its file is written.
///
/// GEVT_ERROR_ILLEGAL_STATE: no trace is running. GEVT_ERROR_OPERATING_SYSTEM: the disk was full, or the file could not be
/// written for another reason; the trace ended then, and the file has what came before.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_trace_stop() -> gevt_status_t {
    call("gevt_trace_stop", Handle::NULL, gevt_core::stop_trace)
}
