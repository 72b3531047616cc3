//! A device's clock on the host's, for traces: both are read together, again after a second, as they drift.

use super::device::Vulkan;
use super::loader::Instance;
use super::times::difference;
use crate::clock::{self, Comparison};
use crate::trace::{self, Place, What};
use ash::vk;
use parking_lot::Mutex;

/// The comparison of a device's clock with the host's.
#[derive(Default)]
pub(super) struct Clock(Mutex<Option<Compared>>);

#[derive(Clone, Copy)]
pub(super) struct Compared {
    device: u64,
    comparison: Comparison,
}

impl Clock {
    /// When the device wrote a time stamp, of which so many bits are valid, on the host's clock, and how far that may be wrong.
    pub(super) fn time(&self, device: &Vulkan, stamp: (u64, u32), place: Place) -> Option<(i64, u64)> {
        let compared = self.compare(device, place)?;
        let since = (difference((compared.device, 64), stamp) as f64 * device.period) as i64;
        Some(compared.comparison.time(since, device.period.ceil() as u64))
    }

    /// Compares the clocks where that is due.
    pub(super) fn compare(&self, device: &Vulkan, place: Place) -> Option<Compared> {
        let mut known = self.0.lock();
        let now = clock::now();
        if let Some(compared) = known.filter(|compared| !compared.comparison.is_old(now)) {
            return Some(compared);
        }
        let (stamps, uncertain) = device.read_clocks()?;
        // Both are CLOCK_MONOTONIC's; where the host's begins is known by reading it in two ways.
        let before = clock::now();
        let host = before - (monotonic() - stamps[1] as i64);
        let uncertain = uncertain + (clock::now() - before);
        let compared = Compared { device: stamps[0], comparison: Comparison { host, uncertain } };
        *known = Some(compared);
        trace::put(|| What::Compared { place, uncertain });
        Some(compared)
    }
}

/// CLOCK_MONOTONIC in nanoseconds.
fn monotonic() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

impl Vulkan {
    /// The device's clock and CLOCK_MONOTONIC at one time, and how uncertain that is.
    fn read_clocks(&self) -> Option<([u64; 2], i64)> {
        let read = self.functions.calibrated_times.filter(|_| self.made.calibrated)?;
        let _call = self.enter().ok()?;
        let infos = [vk::TimeDomainKHR::DEVICE, vk::TimeDomainKHR::CLOCK_MONOTONIC]
            .map(|domain| vk::CalibratedTimestampInfoKHR::default().time_domain(domain));
        let (mut stamps, mut uncertain) = ([0; 2], 0);
        // SAFETY: the arrays have two elements, and the device has both clocks, as `has_clocks` has found.
        let code = unsafe { read(self.handle, 2, infos.as_ptr(), stamps.as_mut_ptr(), &mut uncertain) };
        self.check(code).ok()?;
        Some((stamps, uncertain as i64))
    }
}

/// Returns whether the device's clock and CLOCK_MONOTONIC can be read together.
pub(super) fn has_clocks(instance: &Instance, physical: vk::PhysicalDevice) -> bool {
    let Some(list) = instance.functions.time_domains else { return false };
    let mut domains = [vk::TimeDomainKHR::default(); 16];
    let mut count = domains.len() as u32;
    // SAFETY: the device is one of the instance's, and the array has `count` elements.
    let code = unsafe { list(physical, &mut count, domains.as_mut_ptr()) };
    let known = &domains[..(count as usize).min(domains.len())];
    matches!(code, vk::Result::SUCCESS | vk::Result::INCOMPLETE)
        && [vk::TimeDomainKHR::DEVICE, vk::TimeDomainKHR::CLOCK_MONOTONIC].iter().all(|domain| known.contains(domain))
}
