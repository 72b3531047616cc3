//! The kernel's monotonic clock.

/// Returns the nanoseconds that CLOCK_MONOTONIC shows: it never goes back, and stands still while the machine sleeps.
#[inline]
pub fn monotonic() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for a write. The call cannot fail, as every kernel that Rust's std runs on has this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Converts a driver's reading of the same clock: it counts nanoseconds.
#[inline]
pub(crate) fn nanoseconds(ticks: i64) -> i64 {
    ticks
}
