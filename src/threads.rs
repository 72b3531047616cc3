//! The exported functions about gevt's threads.

use super::boundary::{Out, call};
use super::types::gevt_status_t;
use gevt_core::{Handle, host_threads, set_host_threads};

/// Returns how many host functions, items and callbacks gevt runs at the same time.
///
/// `n` is from 1 to 1,024. By default it is the number of cores that the process may use, by its affinity and its cgroup's quota, or the
/// value of the environment variable GEVT_HOST_THREADS. Functions that sleep do not count: another one runs instead, with a thread each
/// for up to 1,000 sleepers. A function that wakes up continues at once, so the limit can be exceeded briefly.
///
/// # Errors
/// None of its own.
///
/// # Safety
/// `n` must be NULL or valid for a write.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_host_get_threads(n: *mut u32) -> gevt_status_t {
    call("gevt_host_get_threads", Handle::NULL, || {
        // SAFETY: this function requires `n` to be NULL or valid for a write until it returns.
        let out = unsafe { Out::new(n, "n") }?;
        host_threads().map(|threads| out.write(threads))
    })
}

/// Sets how many host functions, items and callbacks gevt runs at the same time.
///
/// `n` is from 1 to 1,024, or 0 for the default. Takes effect at once. Functions that already run are not stopped.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `n` is greater than 1,024.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_host_set_threads(n: u32) -> gevt_status_t {
    call("gevt_host_set_threads", Handle::NULL, || set_host_threads(n))
}
