//! A signal from other threads that one thread waits for.

use crate::os;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const NONE: u32 = 0;
const GIVEN: u32 = 1;
const SLEEPING: u32 = 2;

/// A signal that one thread waits for. Uses no thread-local storage, and so works while a thread ends.
#[derive(Default)]
pub(crate) struct Signal(AtomicU32);

impl Signal {
    pub(crate) fn new() -> Signal {
        Signal::default()
    }

    /// Takes the signal; false where none was given since the last time.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(NONE, Ordering::Acquire) == GIVEN
    }

    /// Returns whether the signal was given, and not taken.
    pub(crate) fn is_given(&self) -> bool {
        self.0.load(Ordering::Relaxed) == GIVEN
    }

    /// Sleeps until the signal is given, for at most that long. May wake for no reason.
    pub(crate) fn sleep(&self, time: Option<Duration>) {
        if self.0.compare_exchange(NONE, SLEEPING, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            os::sleep(&self.0, SLEEPING, time);
        }
    }

    /// Gives the signal.
    pub(crate) fn give(&self) {
        if self.0.swap(GIVEN, Ordering::Release) == SLEEPING {
            os::wake(&self.0);
        }
    }
}
