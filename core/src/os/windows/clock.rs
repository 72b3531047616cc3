//! The performance counter.

use std::sync::OnceLock;
use windows_sys::Win32::System::Performance::{QueryPerformanceCounter, QueryPerformanceFrequency};

/// Returns the nanoseconds that the performance counter shows. It never goes back.
#[inline]
pub fn monotonic() -> i64 {
    let mut ticks = 0;
    // SAFETY: the pointer is valid for a write. The call does not fail on any system that Rust's std runs on.
    unsafe { QueryPerformanceCounter(&mut ticks) };
    nanoseconds(ticks)
}

/// Converts ticks of the performance counter, which drivers return, to the nanoseconds that [`monotonic`] returns.
#[inline]
pub(crate) fn nanoseconds(ticks: i64) -> i64 {
    static FREQUENCY: OnceLock<i64> = OnceLock::new();
    let frequency = *FREQUENCY.get_or_init(|| {
        let mut frequency = 0;
        // SAFETY: as for the counter.
        unsafe { QueryPerformanceFrequency(&mut frequency) };
        frequency.max(1)
    });
    scale(ticks, frequency)
}

/// Does not overflow before the nanoseconds do.
#[inline]
fn scale(ticks: i64, frequency: i64) -> i64 {
    const SECOND: i64 = 1_000_000_000;
    // The usual frequency.
    if frequency == SECOND / 100 {
        return ticks * 100;
    }
    ticks / frequency * SECOND + ticks % frequency * SECOND / frequency
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_nanoseconds_at_every_frequency() {
        let year = 365 * 86_400;
        for frequency in [1, 3_579_545, 10_000_000, 24_000_000, 3_000_000_000] {
            assert_eq!(scale(frequency * year, frequency), year * 1_000_000_000);
            assert_eq!(scale(frequency / 2, frequency), frequency / 2 * 1_000_000_000 / frequency);
        }
    }
}
