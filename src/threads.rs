//! The exported functions about gevt's threads.

use super::boundary::{call, call_for};
use super::out::Out;
use super::sized::{self, sized};
use super::types::{gevt_executor_t, gevt_status_t};
use gevt_core::{Error, Executor, Handle, host_threads, set_executor, set_host_threads};

sized!(gevt_executor_t, "executor", threads: u32);

/// Returns how many host functions, items and callbacks gevt runs at the same time.
///
/// `n` is from 1 to 1,024. By default it is the number of cores that the process may use, by its affinity and its cgroup's quota, or the
/// value of the environment variable GEVT_HOST_THREADS. Functions that sleep do not count: another one runs instead, with a thread each
/// for up to 1,000 sleepers. A function that wakes up continues at once, so the limit can be exceeded briefly.
///
/// # Errors
/// None of its own.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_host_get_threads(n: Out<u32>) -> gevt_status_t {
    call_for("gevt_host_get_threads", Handle::NULL, n.check("n"), host_threads)
}

/// Sets how many host functions, items and callbacks gevt runs at the same time.
///
/// `n` is from 1 to 1,024, or 0 for the default. Takes effect at once. Functions that already run are not stopped.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `n` is greater than 1,024.
/// - GEVT_ERROR_ILLEGAL_STATE: the program has set an executor.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_host_set_threads(n: u32) -> gevt_status_t {
    call("gevt_host_set_threads", Handle::NULL, || set_host_threads(n))
}

/// Sets the program's job system. It then runs host functions, items and callbacks in place of gevt's threads.
///
/// gevt calls `executor->submit(user, run, arg)` when work becomes ready, on the thread that made it ready, and inside `run`. Each call of `run`
/// executes ready work until none is left, and begins nothing more after 0.2 ms. It polls for some microseconds, but does not wait inside gevt.
/// `submit` must not call gevt or `run`, and must not wait for a call of `run`. If it returns another value than 0, threads of gevt's run the
/// work, and take part from then on. A function that blocks holds its thread of the job system, so functions should wait in
/// gevt_sync_helping(). `executor` is copied.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `executor` or `submit` is NULL, `threads` is greater than 1,024, or `size` is too small.
/// - GEVT_ERROR_ILLEGAL_STATE: an executor was set before, or a stream or callback was made before.
///
/// # Safety
/// `executor` must be NULL or point to a structure of the size that it says. `submit(user, …)` must be callable on any thread, on several at
/// once, until the process ends. It must return: no exception and no longjmp may leave it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_host_set_executor(executor: *const gevt_executor_t) -> gevt_status_t {
    call("gevt_host_set_executor", Handle::NULL, || {
        // SAFETY: this function requires `executor` to be NULL or to have the size that it says.
        let given = unsafe { sized::read(executor) }?;
        let submit = given.submit.ok_or(Error::NullPointer("executor->submit"))?;
        // SAFETY: this function requires `submit` to be callable, and to return.
        set_executor(unsafe { Executor::new(submit, given.user, given.threads) })
    })
}
