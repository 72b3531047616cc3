//! Threads: their start, signals, cancellation, end and activity.

use super::process;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::time::Duration;

/// The start argument of a new thread.
struct Start {
    /// In the kernel's form: 15 bytes and a NUL.
    name: [u8; 16],
    body: Box<dyn FnOnce() + Send>,
}

/// Starts a detached thread; false if the system cannot start one. The standard library's way aborts without memory, and registers a
/// destructor in the calling thread, which may be ending.
pub(crate) fn spawn(name: &str, stack: usize, body: Box<dyn FnOnce() + Send>) -> bool {
    let mut start = Box::new(Start { name: [0; 16], body });
    start.name.iter_mut().zip(name.bytes().take(15)).for_each(|(place, byte)| *place = byte);
    let start = Box::into_raw(start);
    let mut attributes = MaybeUninit::uninit();
    let mut thread = MaybeUninit::uninit();
    // SAFETY: the attributes are made before they are used, and `run` takes the box that it is given.
    let is_started = unsafe {
        libc::pthread_attr_init(attributes.as_mut_ptr()) == 0 && {
            libc::pthread_attr_setstacksize(attributes.as_mut_ptr(), stack);
            libc::pthread_attr_setdetachstate(attributes.as_mut_ptr(), libc::PTHREAD_CREATE_DETACHED);
            let code = libc::pthread_create(thread.as_mut_ptr(), attributes.as_ptr(), run, start.cast());
            libc::pthread_attr_destroy(attributes.as_mut_ptr());
            code == 0
        }
    };
    if !is_started {
        // SAFETY: no thread has taken the box.
        drop(unsafe { Box::from_raw(start) });
    }
    is_started
}

extern "C" fn run(start: *mut c_void) -> *mut c_void {
    // SAFETY: `spawn` gives each thread a separate box.
    let Start { name, body } = *unsafe { Box::from_raw(start.cast::<Start>()) };
    // SAFETY: a string that ends with a NUL.
    unsafe { libc::pthread_setname_np(libc::pthread_self(), name.as_ptr().cast()) };
    // The panic's message has been written; the process continues without the thread.
    let _ = catch_unwind(AssertUnwindSafe(body));
    std::ptr::null_mut()
}

/// While it lives, the calling thread is not canceled: pthread_cancel would unwind it through Rust frames, which ends the
/// process. A cancellation that comes meanwhile acts at the thread's next cancellation point.
pub struct Uncancelled(c_int);

impl Uncancelled {
    /// Lets no cancellation act on the calling thread.
    #[expect(clippy::new_without_default, reason = "it is no value, but a state of the thread")]
    pub fn new() -> Uncancelled {
        const DISABLED: c_int = 1;
        let mut before = 0;
        pthread_setcancelstate(DISABLED, &mut before);
        Uncancelled(before)
    }
}

impl Drop for Uncancelled {
    fn drop(&mut self) {
        pthread_setcancelstate(self.0, &mut 0);
    }
}

// SAFETY: the declaration of POSIX. It writes to `before`, and nothing else can go wrong.
unsafe extern "C" {
    safe fn pthread_setcancelstate(state: c_int, before: &mut c_int) -> c_int;
}

/// Calls `end` when the calling thread ends; false if there is no memory to register it. All calls have the same `end`.
pub(crate) fn at_thread_end(end: extern "C" fn(*mut c_void)) -> bool {
    static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();
    let key = KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: the pointer is valid, and the code of `end` stays mapped, as the library is linked with nodelete.
        (unsafe { libc::pthread_key_create(&mut key, Some(end)) } == 0).then_some(key)
    });
    // SAFETY: the key was created above. Nothing reads the value; `end` is only called if it is not null.
    key.is_some_and(|key| unsafe { libc::pthread_setspecific(key, std::ptr::dangling::<u8>().cast()) } == 0)
}

/// The commands of `membarrier` for the threads of this process alone.
const PRIVATE_EXPEDITED: c_int = 1 << 3;
const REGISTER_PRIVATE_EXPEDITED: c_int = 1 << 4;

/// Returns whether the system has [`barrier_of_process`]. The first call registers for it.
pub(crate) fn has_barrier_of_process() -> bool {
    static HAS_BARRIER: OnceLock<bool> = OnceLock::new();
    *HAS_BARRIER.get_or_init(|| membarrier(REGISTER_PRIVATE_EXPEDITED))
}

/// A full memory barrier on every thread of the process, between two of its instructions; false if the system refuses.
pub(crate) fn barrier_of_process() -> bool {
    has_barrier_of_process() && membarrier(PRIVATE_EXPEDITED)
}

fn membarrier(command: c_int) -> bool {
    // SAFETY: takes no pointer.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

/// Runs `start`, whose new threads have every signal blocked that the program may want to handle itself. The faults of a
/// thread's own instructions stay open: a program may handle them, as for a write barrier, and blocked they kill the process.
pub(crate) fn without_signals<T>(start: impl FnOnce() -> T) -> T {
    const FAULTS: [libc::c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP];
    let mut blocked = MaybeUninit::uninit();
    let mut before = MaybeUninit::uninit();
    // SAFETY: the calls write the sets that they are given; a new thread inherits the mask that is set here.
    unsafe {
        libc::sigfillset(blocked.as_mut_ptr());
        for fault in FAULTS {
            libc::sigdelset(blocked.as_mut_ptr(), fault);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, blocked.as_ptr(), before.as_mut_ptr());
    }
    let started = start();
    // SAFETY: `before` was written above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    started
}

/// A thread's CPU use, for other threads of the process to read.
pub(crate) struct ThreadClock {
    clock: Option<libc::clockid_t>,
    number: libc::pid_t,
}

impl ThreadClock {
    pub(crate) fn of_this_thread() -> ThreadClock {
        let mut clock = 0;
        // SAFETY: the thread is the calling one, and the pointer is valid.
        let code = unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &mut clock) };
        // SAFETY: takes no pointer. Older C libraries have no gettid.
        let number = unsafe { libc::syscall(libc::SYS_gettid) } as libc::pid_t;
        ThreadClock { clock: (code == 0).then_some(clock), number }
    }

    /// Returns how much time the thread has used; `None` if it has ended.
    pub(crate) fn used(&self) -> Option<Duration> {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the pointer is valid. The clock of a thread that has ended is an error of the call's.
        let code = unsafe { libc::clock_gettime(self.clock?, &mut time) };
        (code == 0).then(|| Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32))
    }

    /// Returns whether the thread runs or waits for a core; `None` if the kernel does not say.
    pub(crate) fn wants_core(&self) -> Option<bool> {
        process::state(&format!("/proc/self/task/{}", self.number)).ok().map(|state| state == b'R')
    }
}

#[cfg(test)]
#[path = "thread_tests.rs"]
mod tests;
