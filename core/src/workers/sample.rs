//! Whether a worker is blocked.
//!
//! It is if its CPU clock has hardly moved since the last tick, and the kernel does not list its thread as runnable. The kernel's list needs
//! /proc and a free descriptor. Without them, a worker is blocked if its clock has stood still for long.

use crate::os::ThreadClock;
use std::time::{Duration, Instant};

/// A thread that uses less than this part of the time may be blocked.
const PART: u32 = 4;
/// How long the clock of a thread stands still before the thread counts as blocked, if its state cannot be read.
const SILENT: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Activity {
    /// It has begun something since the last tick.
    Began,
    Runs,
    Blocked,
    /// It runs little and wants a core, or has just woken.
    Unknown,
}

/// What the monitor has seen of a worker.
pub(super) struct Sample {
    clock: ThreadClock,
    begun: u64,
    /// When it was checked last, and when it was seen to have used time; and how much it had used then.
    checked: Instant,
    moved: Instant,
    used: Duration,
}

impl Sample {
    pub(super) fn of_this_thread() -> Sample {
        let now = Instant::now();
        Sample { clock: ThreadClock::of_this_thread(), begun: 0, checked: now, moved: now, used: Duration::ZERO }
    }

    pub(super) fn activity(&mut self, begun: u64) -> Activity {
        let now = Instant::now();
        let used = self.clock.used().unwrap_or(self.used);
        let since = now - std::mem::replace(&mut self.checked, now);
        let more = used.saturating_sub(std::mem::replace(&mut self.used, used));
        if self.begun != begun {
            (self.begun, self.moved) = (begun, now);
            return Activity::Began;
        }
        if more > Duration::ZERO {
            self.moved = now;
        }
        if more * PART >= since {
            return Activity::Runs;
        }
        match self.clock.wants_core() {
            Some(false) => Activity::Blocked,
            None if now - self.moved >= SILENT => Activity::Blocked,
            _ => Activity::Unknown,
        }
    }
}
