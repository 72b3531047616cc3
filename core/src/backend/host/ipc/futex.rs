//! Sleeping on a word that other processes share.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// One word of several to sleep on, as the kernel's `struct futex_waitv`.
#[repr(C)]
pub(super) struct Waitv {
    value: u64,
    address: u64,
    flags: u32,
    reserved: u32,
}

/// The most words that the kernel takes at once.
pub(super) const MOST: usize = 128;
const SIZE_U32: u32 = 2;

fn timespec(time: Duration) -> libc::timespec {
    libc::timespec { tv_sec: time.as_secs() as libc::time_t, tv_nsec: time.subsec_nanos().into() }
}

/// Sleeps while the word has that value, for so long at most. May wake for no reason.
pub(super) fn wait(word: &AtomicU32, value: u32, time: Duration) {
    let time = timespec(time);
    // SAFETY: the word is there while it is borrowed, and the time outlives the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, value, &raw const time) };
}

/// Wakes all that sleep on the word, in any process.
pub(super) fn wake(word: &AtomicU32) {
    // SAFETY: the word is there while it is borrowed.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}

impl Waitv {
    /// The caller keeps the word until [`wait_any`] is through.
    pub(super) fn new(word: &AtomicU32, value: u32) -> Waitv {
        Waitv { value: u64::from(value), address: word.as_ptr() as u64, flags: SIZE_U32, reserved: 0 }
    }
}

/// Sleeps while all the words have their values, for so long at most. May wake for no reason; false where the kernel cannot
/// do this.
pub(super) fn wait_any(words: &[Waitv], time: Duration) -> bool {
    let mut until = timespec(Duration::ZERO);
    // SAFETY: the pointer is valid.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut until) };
    let until = timespec(Duration::new(until.tv_sec as u64, until.tv_nsec as u32) + time);
    // SAFETY: the words are described by `words`, which outlives the call as the time does. An address that is no longer
    // mapped is an error of the call's.
    let code = unsafe {
        libc::syscall(libc::SYS_futex_waitv, words.as_ptr(), words.len(), 0, &raw const until, libc::CLOCK_MONOTONIC)
    };
    let error = std::io::Error::last_os_error().raw_os_error();
    code >= 0 || matches!(error, Some(libc::EAGAIN | libc::ETIMEDOUT | libc::EINTR))
}

/// Changes a word of this process's own, and wakes who sleeps on it.
pub(super) fn kick(word: &AtomicU32) {
    word.fetch_add(1, Ordering::SeqCst);
    wake(word);
}
