//! The pauses of a thread that polls: short at first, and longer the longer the wait has lasted.
//!
//! A wait ends half a pause late in the median, and each look costs a few microseconds of CPU time: the pauses are a choice between the two.

use crate::os::FineTimer;
use std::time::{Duration, Instant};

/// How long a thread polls without a pause, unless it was asked not to.
const SPIN: Duration = Duration::from_micros(20);
/// The pauses of a young wait, and until when it is one.
const FIRST: Duration = Duration::from_micros(20);
const YOUNG: Duration = Duration::from_micros(200);
/// Later ones are such a part of the wait so far, up to the longest.
const PART: u32 = 8;
const LONGEST: Duration = Duration::from_micros(100);

/// Returns how long to pause in a wait that has lasted so long.
pub(super) fn pause_after(lasted: Duration) -> Duration {
    if lasted < YOUNG { FIRST } else { (lasted / PART).clamp(FIRST, LONGEST) }
}

/// The pauses of one wait by the calling thread.
pub(super) struct Pauses {
    since: Instant,
    spins: bool,
    timer: Option<FineTimer>,
}

impl Pauses {
    /// A wait that begins now.
    pub(super) fn new(spins: bool) -> Pauses {
        Pauses { since: Instant::now(), spins, timer: None }
    }

    /// Pauses until the next look; returns false, at once, if the deadline has passed.
    pub(super) fn pause(&mut self, deadline: Instant) -> bool {
        let now = Instant::now();
        if now >= deadline {
            return false;
        }
        let lasted = now - self.since;
        if self.spins && lasted < SPIN {
            std::hint::spin_loop();
        } else {
            self.timer.get_or_insert_with(FineTimer::new);
            std::thread::sleep(pause_after(lasted).min(deadline - now));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_with_the_wait_and_are_bounded() {
        let pauses: Vec<Duration> = (0..100).map(|n| pause_after(Duration::from_micros(n * 50))).collect();
        assert!(pauses.is_sorted() && pauses[0] == FIRST);
        assert_eq!(pauses.last(), Some(&LONGEST));
    }
}
