//! A device's clock on the host's: both are read together, and again after a second, as they drift.

use super::loader::HOST;
use super::native::NativeDevice;
use super::stamp::Ticks;
use super::times::difference;
use crate::clock::{self, Comparison};
use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::os;
use crate::probe::{self, What};
use crate::process::Uncancelled;
use ash::vk;

const NOT_CALIBRATED: Error = Error::Unsupported(
    "the host's time needs VK_KHR_calibrated_timestamps or VK_EXT_calibrated_timestamps, which the device was made without",
);

/// A device's time, with the comparison of its clock with the host's at that time.
type Compared = (u64, Comparison);

/// The last comparison of a device's clock with the host's.
#[derive(Default)]
pub(super) struct Clock(Mutex<Option<Compared>>);

impl Clock {
    /// Returns when the device wrote a timestamp, on the host's clock, and how far that may be wrong.
    pub(super) fn time(&self, device: &NativeDevice, stamp: Ticks) -> Result<(i64, u64)> {
        let known = *self.0.lock();
        let (then, comparison) = match known.filter(|(_, comparison)| !comparison.is_old(clock::now())) {
            Some(compared) => compared,
            None => self.compare(device)?,
        };
        let since = (difference((then, 64), stamp) as f64 * device.period) as i64;
        Ok(comparison.time(since, device.period.ceil() as u64))
    }

    /// Compares the clocks.
    pub(super) fn compare(&self, device: &NativeDevice) -> Result<Compared> {
        let ([now, host], uncertain) = read(device)?;
        let compared = (now, Comparison { host: os::nanoseconds(host as i64), uncertain });
        *self.0.lock() = Some(compared);
        probe::put(|| What::Compared { place: device.place(), uncertain });
        Ok(compared)
    }
}

/// The device's clock and the host's at one time, and how uncertain that is.
fn read(device: &NativeDevice) -> Result<([u64; 2], i64)> {
    let read = device.functions.calibrated_times.filter(|_| device.made.calibrated).ok_or(NOT_CALIBRATED)?;
    let (_call, _uncancelled) = (device.enter()?, Uncancelled::new());
    let infos =
        [vk::TimeDomainKHR::DEVICE, HOST].map(|domain| vk::CalibratedTimestampInfoKHR::default().time_domain(domain));
    let (mut stamps, mut uncertain) = ([0; 2], 0);
    // SAFETY: the arrays have two elements, and the device has both clocks, as `Instance::has_clocks` has found.
    let code = unsafe { read(device.handle, 2, infos.as_ptr(), stamps.as_mut_ptr(), &mut uncertain) };
    device.check(code)?;
    Ok((stamps, uncertain as i64))
}
