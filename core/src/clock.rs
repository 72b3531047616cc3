//! The host's clock: monotonic nanoseconds. The host backend's times are its, and so are a trace's.

use std::sync::LazyLock;
use std::time::Instant;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Nanoseconds since the first reading in this process.
pub(crate) fn now() -> i64 {
    Instant::now().saturating_duration_since(*START).as_nanos() as i64
}
