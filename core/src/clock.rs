//! The host's clock in nanoseconds: CLOCK_MONOTONIC, or Windows's performance counter. The host backend's times are its, and so are a trace's.

pub use crate::os::monotonic as now;

/// A reading of a device's clock and the host's together.
#[derive(Clone, Copy)]
pub(crate) struct Comparison {
    /// A time on the host's clock.
    pub(crate) host: i64,
    /// How far from the device's that time is at most.
    pub(crate) uncertain: i64,
}

/// How long a comparison is used, in nanoseconds.
const VALID: i64 = 1_000_000_000;

impl Comparison {
    /// Returns whether the clocks are to be compared again.
    pub(crate) fn is_old(self, now: i64) -> bool {
        now - self.host > VALID
    }

    /// Returns when it was `since` later by the device's clock, and how far that may be wrong if the device's times are wrong by
    /// `resolution`. The clocks drift by a two-thousandth at most: that is how fast the system may slew the host's.
    pub(crate) fn time(self, since: i64, resolution: u64) -> (i64, u64) {
        let time = self.host + since;
        (time, self.uncertain_at(time).unsigned_abs() + resolution)
    }

    /// Returns how far a time of the device's clock may be wrong that is that one on the host's.
    pub(crate) fn uncertain_at(self, time: i64) -> i64 {
        self.uncertain + (time - self.host).abs() / 2000
    }
}

#[cfg(test)]
#[path = "clock_tests.rs"]
mod tests;
