//! Sleeping on a word: futexes. The same calls serve words of this process and words that processes share.

use super::clock::monotonic;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// One word of several to sleep on, as the kernel's `struct futex_waitv`.
#[repr(C)]
pub(crate) struct SleepWord {
    value: u64,
    address: u64,
    flags: u32,
    reserved: u32,
}

/// The most words for [`sleep_on_any`].
pub(crate) const MOST_WORDS: usize = 128;
const SIZE_U32: u32 = 2;

fn timespec(time: Duration) -> libc::timespec {
    let seconds = libc::time_t::try_from(time.as_secs()).unwrap_or(libc::time_t::MAX);
    libc::timespec { tv_sec: seconds, tv_nsec: time.subsec_nanos().into() }
}

/// Sleeps while the word has that value, for at most that long. May wake for no reason.
pub(crate) fn sleep(word: &AtomicU32, value: u32, time: Option<Duration>) {
    let time = time.map(timespec);
    let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the borrow keeps the word alive, and the time outlives the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, value, time) };
}

/// Wakes all threads that sleep on the word, in any process.
pub(crate) fn wake(word: &AtomicU32) {
    // SAFETY: the borrow keeps the word alive.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}

impl SleepWord {
    /// A word that the caller keeps valid until [`sleep_on_any`] returns.
    pub(crate) fn new(word: &AtomicU32, value: u32) -> SleepWord {
        SleepWord { value: u64::from(value), address: word.as_ptr() as u64, flags: SIZE_U32, reserved: 0 }
    }
}

/// Sleeps while all the words have their values, for at most that long. May wake for no reason; false where the kernel cannot
/// do this (before 5.16).
pub(crate) fn sleep_on_any(words: &[SleepWord], time: Duration) -> bool {
    let until = timespec(Duration::from_nanos(monotonic().unsigned_abs()).saturating_add(time));
    // SAFETY: the words are described by `words`, which outlives the call as the time does. An address that is no longer
    // mapped is an error of the call's.
    let code = unsafe {
        libc::syscall(libc::SYS_futex_waitv, words.as_ptr(), words.len(), 0, &raw const until, libc::CLOCK_MONOTONIC)
    };
    let error = std::io::Error::last_os_error().raw_os_error();
    code >= 0 || matches!(error, Some(libc::EAGAIN | libc::ETIMEDOUT | libc::EINTR))
}

/// While it lives, the calling thread's sleeps end within a microsecond of their time; otherwise the kernel may add fifty.
pub(crate) struct FineTimer(libc::c_int);

/// Sets how many nanoseconds late the calling thread's timers may be; returns how many that is if nothing is set.
fn timer_slack(set: Option<libc::c_ulong>) -> libc::c_int {
    const NONE: libc::c_ulong = 0;
    let option = if set.is_some() { libc::PR_SET_TIMERSLACK } else { libc::PR_GET_TIMERSLACK };
    // SAFETY: neither option takes a pointer. The C library reads all five arguments.
    unsafe { libc::prctl(option, set.unwrap_or(NONE), NONE, NONE, NONE) }
}

impl FineTimer {
    const NANOSECONDS: libc::c_ulong = 1000;

    /// Makes the calling thread's timers fine.
    pub(crate) fn new() -> FineTimer {
        let before = timer_slack(None);
        timer_slack(Some(Self::NANOSECONDS));
        FineTimer(before)
    }
}

impl Drop for FineTimer {
    fn drop(&mut self) {
        if let Ok(before @ 1..) = libc::c_ulong::try_from(self.0) {
            timer_slack(Some(before));
        }
    }
}

#[cfg(test)]
#[path = "sleep_tests.rs"]
mod tests;
