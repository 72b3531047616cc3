//! The pauses between looks at a point that only looks show to be reached. They grow with the wait, and are short around the time that the last
//! wait for the point took: waits for one point often take equally long.
//!
//! A look costs some microseconds of CPU time, mostly to fall asleep and wake up, and a wait ends half a pause late on average.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The least and the greatest pause.
const SHORT: Duration = Duration::from_micros(16);
const LONG: Duration = Duration::from_micros(250);

/// How long the last waits took, in microseconds, by a hash of the point's name.
static LAST: [AtomicU32; 256] = [const { AtomicU32::new(0) }; 256];

/// The pauses of waits for one point.
#[derive(Clone, Copy)]
pub(crate) struct Pauses(Option<&'static AtomicU32>);

impl Pauses {
    /// The pauses of waits that say nothing about later ones.
    pub(crate) const UNLEARNED: Pauses = Pauses(None);

    /// For a point of that name, such as the address of its object.
    pub(crate) fn of(name: u64) -> Pauses {
        // Fibonacci hashing.
        Pauses(Some(&LAST[(name.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize]))
    }

    /// The pause after a look, in a wait that has lasted that long.
    pub(crate) fn next(self, lasted: Duration) -> Duration {
        let last = self.0.map_or(0, |last| last.load(Ordering::Relaxed));
        pause(Duration::from_micros(last.into()), lasted)
    }

    /// A wait has ended that took so long.
    pub(crate) fn learn(self, took: Duration) {
        if let Some(last) = self.0 {
            last.store(took.as_micros().try_into().unwrap_or(u32::MAX), Ordering::Relaxed);
        }
    }
}

/// The pause in a wait that should take about `expected`, or zero if that is not known.
fn pause(expected: Duration, lasted: Duration) -> Duration {
    let pause = (lasted / 16).clamp(SHORT, LONG);
    let near = (expected / 32).clamp(SHORT, 40 * SHORT);
    if lasted + near < expected {
        (expected - near - lasted).min(pause).max(SHORT)
    } else if lasted < expected + near {
        (near / 16).max(SHORT)
    } else {
        pause
    }
}

#[cfg(test)]
#[path = "pauses_tests.rs"]
mod tests;
