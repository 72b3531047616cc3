//! The kernel's clocks.

/// A clock that other tools know, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SystemClock {
    /// Never goes back, and stands still while the machine sleeps.
    Monotonic,
    /// As the monotonic one, and also counts while the machine is suspended.
    Boottime,
    /// Time since 1970, which may be set.
    Realtime,
}

/// Returns the nanoseconds that the clock shows.
#[inline]
pub(crate) fn read_clock(clock: SystemClock) -> i64 {
    let number = match clock {
        SystemClock::Monotonic => libc::CLOCK_MONOTONIC,
        SystemClock::Boottime => libc::CLOCK_BOOTTIME,
        SystemClock::Realtime => libc::CLOCK_REALTIME,
    };
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for a write. The call cannot fail, as every kernel that Rust's std runs on has these clocks.
    unsafe { libc::clock_gettime(number, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}
