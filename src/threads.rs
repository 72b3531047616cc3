//! The exported functions about gevt's threads.

use super::boundary::{Out, call};
use super::types::gevt_status_t;
use gevt_core::{Handle, host_threads, set_host_threads};

/// Returns how many functions gevt runs at once on its own threads: those of gevt_stream_launch() and
/// gevt_stream_launch_n() on host streams, and callbacks of gevt_on_complete().
///
/// `n` receives the number, from 1 to 1,024. By default it is the number of cores that the process may use, by its affinity and the
/// quota of its cgroup (rounded down, but at least 1), or what the environment variable GEVT_HOST_THREADS says when gevt first needs the number.
///
/// Only functions that run count. One that sleeps, in gevt or in the kernel, lets another one run in its place, and there is a thread for
/// each of up to 1,000 such functions. The CPU time that a thread uses decides: a function that spins while it waits for
/// another one counts as running. A function that wakes continues at once, even if `n` others run. Until one of them ends or sleeps,
/// no new one begins.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `n` is NULL.
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

/// Sets how many functions gevt runs at once on its own threads, see gevt_host_get_threads().
///
/// `n` is from 1 to 1,024; 0 restores the default. Takes effect at once, and may be called at any time, from a host function
/// too. Functions that run already continue: if `n` is less than before, no new one begins until fewer than `n` run.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `n` is greater than 1,024.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_host_set_threads(n: u32) -> gevt_status_t {
    call("gevt_host_set_threads", Handle::NULL, || set_host_threads(n))
}
