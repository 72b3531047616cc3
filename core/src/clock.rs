//! The host's clock: CLOCK_MONOTONIC in nanoseconds. The host backend's times are its, and so are a trace's.

use crate::os::{SystemClock, read_clock};

/// Returns the nanoseconds that CLOCK_MONOTONIC shows.
#[inline]
pub(crate) fn now() -> i64 {
    read_clock(SystemClock::Monotonic)
}
