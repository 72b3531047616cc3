//! The host's clock: CLOCK_MONOTONIC in nanoseconds. The host backend's times are its, and so are a trace's.

use crate::os::{SystemClock, read_clock};

/// Returns the nanoseconds that CLOCK_MONOTONIC shows.
#[inline]
pub(crate) fn now() -> i64 {
    read_clock(SystemClock::Monotonic)
}

/// Returns how far two clocks, of which one drifts from the other by a ten-thousandth at most, are apart after a time.
pub(crate) fn drift(time: i64) -> u64 {
    time.unsigned_abs() / 10_000
}
