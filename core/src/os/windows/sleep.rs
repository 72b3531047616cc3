//! Sleeping on a word. A timed sleep ends with one of the system's clock interrupts, which come each millisecond meanwhile.

use std::sync::atomic::AtomicU32;
use std::time::Duration;
use windows_sys::Win32::Media::{timeBeginPeriod, timeEndPeriod};
use windows_sys::Win32::System::Threading::{INFINITE, WaitOnAddress, WakeByAddressAll};

/// One of several words to sleep on. Only shared words of processes are used so, and Windows has none.
pub(crate) struct SleepWord;

pub(crate) const MOST_WORDS: usize = 128;

impl SleepWord {
    pub(crate) fn new(_: &AtomicU32, _: u32) -> SleepWord {
        SleepWord
    }
}

/// The system cannot do this.
pub(crate) fn sleep_on_any(_: &[SleepWord], _: Duration) -> bool {
    false
}

/// Sleeps while the word has that value, for so long at most. May wake for no reason.
pub(crate) fn sleep(word: &AtomicU32, value: u32, time: Option<Duration>) {
    let _fine = time.map(|_| FineTimer::new());
    let up = |time: Duration| u32::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(INFINITE - 1);
    let milliseconds = time.map_or(INFINITE, up);
    // SAFETY: the borrow keeps the word alive, and the value has its size.
    unsafe { WaitOnAddress(word.as_ptr().cast(), (&raw const value).cast(), size_of::<u32>(), milliseconds) };
}

/// Wakes all threads that sleep on the word.
pub(crate) fn wake(word: &AtomicU32) {
    // SAFETY: the address names the word, and is not read.
    unsafe { WakeByAddressAll(word.as_ptr().cast()) };
}

/// While it lives, sleeps end within a millisecond of their time.
pub(crate) struct FineTimer(());

const MILLISECOND: u32 = 1;

impl FineTimer {
    /// Makes the process's timers fine.
    pub(crate) fn new() -> FineTimer {
        // SAFETY: takes no pointer.
        unsafe { timeBeginPeriod(MILLISECOND) };
        FineTimer(())
    }
}

impl Drop for FineTimer {
    fn drop(&mut self) {
        // SAFETY: takes no pointer.
        unsafe { timeEndPeriod(MILLISECOND) };
    }
}
