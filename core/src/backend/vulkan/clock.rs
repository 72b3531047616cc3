//! A device's clock on the host's: both are read together, and again after a second, as they drift.

use super::device::Vulkan;
use super::loader::Instance;
use super::stamp::Ticks;
use super::times::difference;
use crate::clock::{self, Comparison};
use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::os;
use crate::probe::{self, Place, What};
use crate::process::Uncancelled;
use ash::vk;

const NOT_CALIBRATED: Error = Error::Unsupported(
    "the host's time needs VK_KHR_calibrated_timestamps or VK_EXT_calibrated_timestamps, which the device was made without",
);

/// The host's clock, in Vulkan's terms.
const HOST: vk::TimeDomainKHR =
    if cfg!(windows) { vk::TimeDomainKHR::QUERY_PERFORMANCE_COUNTER } else { vk::TimeDomainKHR::CLOCK_MONOTONIC };

/// The comparison of a device's clock with the host's.
#[derive(Default)]
pub(super) struct Clock(Mutex<Option<Compared>>);

#[derive(Clone, Copy)]
pub(super) struct Compared {
    device: u64,
    comparison: Comparison,
}

impl Clock {
    /// Returns when the device wrote a timestamp, on the host's clock, and how far that may be wrong.
    pub(super) fn time(&self, device: &Vulkan, stamp: Ticks, place: Place) -> Result<(i64, u64)> {
        let known = *self.0.lock();
        let compared = match known.filter(|compared| !compared.comparison.is_old(clock::now())) {
            Some(compared) => compared,
            None => self.compare(device, place)?,
        };
        let since = (difference((compared.device, 64), stamp) as f64 * device.period) as i64;
        Ok(compared.comparison.time(since, device.period.ceil() as u64))
    }

    /// Compares the clocks.
    pub(super) fn compare(&self, device: &Vulkan, place: Place) -> Result<Compared> {
        let ([device, host], uncertain) = device.read_clocks()?;
        let compared = Compared { device, comparison: Comparison { host: os::nanoseconds(host as i64), uncertain } };
        *self.0.lock() = Some(compared);
        probe::put(|| What::Compared { place, uncertain });
        Ok(compared)
    }
}

impl Vulkan {
    /// The device's clock and the host's at one time, and how uncertain that is.
    fn read_clocks(&self) -> Result<([u64; 2], i64)> {
        let read = self.functions.calibrated_times.filter(|_| self.made.calibrated).ok_or(NOT_CALIBRATED)?;
        let (_call, _uncancelled) = (self.enter()?, Uncancelled::new());
        let infos = [vk::TimeDomainKHR::DEVICE, HOST]
            .map(|domain| vk::CalibratedTimestampInfoKHR::default().time_domain(domain));
        let (mut stamps, mut uncertain) = ([0; 2], 0);
        // SAFETY: the arrays have two elements, and the device has both clocks, as `has_clocks` has found.
        let code = unsafe { read(self.handle, 2, infos.as_ptr(), stamps.as_mut_ptr(), &mut uncertain) };
        self.check(code)?;
        Ok((stamps, uncertain as i64))
    }
}

/// Returns whether the device's clock and the host's can be read together.
pub(super) fn has_clocks(instance: &Instance, physical: vk::PhysicalDevice) -> bool {
    let Some(list) = instance.functions.time_domains else { return false };
    let mut domains = [vk::TimeDomainKHR::default(); 16];
    let mut count = domains.len() as u32;
    // SAFETY: the device is one of the instance's, and the array has `count` elements.
    let code = unsafe { list(physical, &mut count, domains.as_mut_ptr()) };
    let known = &domains[..(count as usize).min(domains.len())];
    matches!(code, vk::Result::SUCCESS | vk::Result::INCOMPLETE)
        && [vk::TimeDomainKHR::DEVICE, HOST].iter().all(|domain| known.contains(domain))
}
