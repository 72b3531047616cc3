//! Sleeping on a word.
//!
//! WaitOnAddress ends a timed sleep with the system's next clock interrupt, up to 16 ms late. So a thread with a time sleeps on a timer of
//! high resolution instead, and who wakes the word has the timer end at once.

use crate::lock::Mutex;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering, fence};
use std::time::Duration;
use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::Media::{timeBeginPeriod, timeEndPeriod};
use windows_sys::Win32::System::Threading::{
    CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, CreateWaitableTimerExW, INFINITE, SetWaitableTimer, TIMER_ALL_ACCESS,
    WaitForSingleObject, WaitOnAddress, WakeByAddressAll,
};

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

/// The threads that sleep on timers, by the addresses of their words.
static SLEEPERS: Mutex<Vec<(usize, Timer)>> = Mutex::new(Vec::new());
/// How many there are.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Sleeps while the word has that value, for so long at most. May wake for no reason.
pub(crate) fn sleep(word: &AtomicU32, value: u32, time: Option<Duration>) {
    let Some(time) = time else { return wait(word, value, INFINITE) };
    match OwnTimer::new(time) {
        Some(timer) if enter(word, &timer) => {
            // Either this sees the new value, or the thread that has written it sees the timer.
            fence(Ordering::SeqCst);
            if word.load(Ordering::Relaxed) == value {
                // SAFETY: the timer lives.
                unsafe { WaitForSingleObject(timer.0.as_raw_handle(), INFINITE) };
            }
            leave(&timer);
        }
        _ => wait(word, value, u32::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(INFINITE - 1)),
    }
}

/// Wakes all threads that sleep on the word.
pub(crate) fn wake(word: &AtomicU32) {
    // SAFETY: the address names the word, and is not read.
    unsafe { WakeByAddressAll(word.as_ptr().cast()) };
    fence(Ordering::SeqCst);
    if COUNT.load(Ordering::Relaxed) > 0 {
        let address = word.as_ptr().addr();
        for (_, timer) in SLEEPERS.lock().iter().filter(|(of, _)| *of == address) {
            timer.end_in(0);
        }
    }
}

fn wait(word: &AtomicU32, value: u32, milliseconds: u32) {
    // SAFETY: the borrow keeps the word alive, and the value has its size.
    unsafe { WaitOnAddress(word.as_ptr().cast(), (&raw const value).cast(), size_of::<u32>(), milliseconds) };
}

/// Has [`wake`] end the timer; false without memory for that.
fn enter(word: &AtomicU32, timer: &OwnTimer) -> bool {
    let mut sleepers = SLEEPERS.lock();
    let has_room = sleepers.try_reserve(1).is_ok();
    if has_room {
        sleepers.push((word.as_ptr().addr(), timer.borrow()));
        COUNT.store(sleepers.len(), Ordering::SeqCst);
    }
    has_room
}

fn leave(timer: &OwnTimer) {
    let mut sleepers = SLEEPERS.lock();
    if let Some(at) = sleepers.iter().position(|(_, other)| other.0 == timer.borrow().0) {
        sleepers.swap_remove(at);
    }
    COUNT.store(sleepers.len(), Ordering::SeqCst);
}

/// A timer of a thread that is in [`SLEEPERS`].
struct Timer(HANDLE);

// SAFETY: handles may be used by any thread.
unsafe impl Send for Timer {}

impl Timer {
    /// Has the timer end after so many times 100 ns.
    fn end_in(&self, time: i64) -> bool {
        let due = -time;
        // SAFETY: the timer lives: its thread removes it from the list, under the lock, before it closes it.
        unsafe { SetWaitableTimer(self.0, &due, 0, None, std::ptr::null(), 0) != 0 }
    }
}

/// A timer that the calling thread sleeps on.
struct OwnTimer(OwnedHandle);

impl OwnTimer {
    /// Makes a timer that ends after that time; `None` if the system has none to give.
    fn new(time: Duration) -> Option<OwnTimer> {
        let (attributes, name) = (std::ptr::null(), std::ptr::null());
        // SAFETY: no pointer is used.
        let handle = unsafe {
            CreateWaitableTimerExW(attributes, name, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS)
        };
        if handle.is_null() {
            return None;
        }
        // SAFETY: the handle is new, and no other code has it.
        let timer = OwnTimer(unsafe { OwnedHandle::from_raw_handle(handle) });
        let hundreds = i64::try_from(time.as_nanos().div_ceil(100)).unwrap_or(i64::MAX);
        timer.borrow().end_in(hundreds).then_some(timer)
    }

    fn borrow(&self) -> Timer {
        Timer(self.0.as_raw_handle())
    }
}

/// While it lives, sleeps without a high-resolution timer end within a millisecond of their time.
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
