//! Rounds of looks at what only looks show.

use crate::sync::Signal;
use std::time::{Duration, Instant};

/// The minimum ratio of the pause after a round to the round's duration.
const IDLE: u32 = 8;

/// The longest rest. No pause is longer.
const REST: Duration = Duration::from_millis(1);

/// One round of looks: when it began, and when the next look is due.
pub(crate) struct Rounds {
    start: Instant,
    next: Instant,
}

impl Default for Rounds {
    fn default() -> Rounds {
        let now = Instant::now();
        Rounds { start: now, next: now }
    }
}

impl Rounds {
    /// When the round began.
    pub(crate) fn start(&self) -> Instant {
        self.start
    }

    /// Begins a round.
    pub(crate) fn begin(&mut self) {
        let start = Instant::now();
        *self = Rounds { start, next: start + REST };
    }

    /// A look is due then.
    pub(crate) fn look_at(&mut self, due: Instant) {
        self.next = self.next.min(due);
    }

    /// Sleeps until a look is due, or until `call` is given.
    pub(crate) fn sleep(&self, call: &Signal) {
        let now = Instant::now();
        let until = self.next.max(now + (now - self.start) * IDLE);
        call.sleep(Some(until - now));
    }
}
