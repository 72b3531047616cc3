//! Threads of gevt's own: they leave the program's signals to the program.

use std::mem::MaybeUninit;

/// Starts a thread with every signal blocked; false where the system has none to give.
pub(crate) fn start(name: &str, body: impl FnOnce() + Send + 'static) -> bool {
    let mut all = MaybeUninit::uninit();
    let mut before = MaybeUninit::uninit();
    // SAFETY: both calls write the sets that they are given; the thread inherits the mask that is set here.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    let started = crate::sync::spawn(name, 8 << 20, body);
    // SAFETY: `before` was written above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    started
}

/// The calling thread's entry under /proc; empty where there is none.
pub(crate) fn task() -> String {
    let path = std::fs::read_link("/proc/thread-self").unwrap_or_default();
    format!("/proc/{}/stat", path.display())
}

/// Is the thread of that entry asleep? A thread that cannot be looked at counts as asleep.
pub(crate) fn is_asleep(task: &str) -> bool {
    let Ok(stat) = std::fs::read_to_string(task) else { return true };
    // "pid (name) S ...": the name may hold anything, so the state is sought from the end of it.
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    !matches!(state, Some('R'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn a_sleeping_thread_is_asleep_and_a_running_one_is_not() {
        assert!(!is_asleep(&task()));
        let (named, name) = channel();
        let (stop, stopped) = channel::<()>();
        assert!(start("gevt-test", move || {
            let _ = named.send(task());
            let _ = stopped.recv();
        }));
        let task = name.recv().expect("the thread runs");
        while !is_asleep(&task) {
            std::thread::yield_now();
        }
        drop(stop);
    }
}
