//! A timeline semaphore whose counter says how far a stream has come.

use super::device::Vulkan;
use crate::error::Result;
use crate::process;
use ash::vk;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a wait keeps its core before it sleeps.
const SPIN: Duration = Duration::from_micros(20);
/// How long a thread sleeps at a time: exit and the owner's end of the device do not wake it.
const SLICE: Duration = Duration::from_millis(50);

/// A value of a semaphore, to be waited for or signalled.
#[derive(Clone, Copy)]
pub(super) struct Wait {
    pub(super) semaphore: vk::Semaphore,
    pub(super) value: u64,
}

/// A timeline semaphore with what is known of its counter.
pub(super) struct Timeline {
    pub(super) device: &'static Vulkan,
    pub(super) semaphore: vk::Semaphore,
    /// The greatest value that was read.
    seen: AtomicU64,
}

impl Timeline {
    pub(super) fn new(device: &'static Vulkan, semaphore: vk::Semaphore) -> Timeline {
        Timeline { device, semaphore, seen: AtomicU64::new(0) }
    }

    /// Makes a semaphore with the counter 0.
    pub(super) fn create(device: &'static Vulkan) -> Result<Timeline> {
        let _call = device.enter()?;
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        let mut semaphore = vk::Semaphore::null();
        let create = device.functions.create_semaphore;
        // SAFETY: the pointers are valid, and the device has timeline semaphores.
        device.check(unsafe { create(device.handle, &info, std::ptr::null(), &mut semaphore) })?;
        Ok(Timeline::new(device, semaphore))
    }

    /// The value, as a wait or a signal has it.
    pub(super) fn at(&self, value: u64) -> Wait {
        Wait { semaphore: self.semaphore, value }
    }

    /// Returns whether the counter is known to have come to the value.
    #[inline]
    pub(super) fn is_known(&self, value: u64) -> bool {
        self.seen.load(Ordering::Acquire) >= value
    }

    /// Returns whether the counter has come to the value.
    #[inline]
    pub(super) fn reached(&self, value: u64) -> Result<bool> {
        if self.is_known(value) {
            return Ok(true);
        }
        let device = self.device;
        let _call = device.enter()?;
        let mut counter = 0;
        // SAFETY: the semaphore lives as long as the device's use, and the pointer is valid.
        device.check(unsafe { (device.functions.semaphore_value)(device.handle, self.semaphore, &mut counter) })?;
        self.saw(counter);
        Ok(counter >= value)
    }

    fn saw(&self, counter: u64) {
        self.seen.fetch_max(counter, Ordering::AcqRel);
    }

    /// Blocks until the counter has come to the value, or until the deadline; returns whether it has.
    pub(super) fn block(&self, value: u64, spin: bool, deadline: Option<Instant>) -> Result<bool> {
        let start = Instant::now();
        loop {
            if self.reached(value)? {
                return Ok(true);
            }
            process::check()?;
            let now = Instant::now();
            let left = deadline.map_or(SLICE, |deadline| deadline.saturating_duration_since(now).min(SLICE));
            if left.is_zero() {
                return Ok(false);
            }
            if spin && now - start < SPIN {
                std::hint::spin_loop();
            } else {
                self.sleep(value, left)?;
            }
        }
    }

    /// Sleeps until the counter has come to the value, for so long at most.
    fn sleep(&self, value: u64, time: Duration) -> Result<()> {
        let device = self.device;
        let _call = device.enter()?;
        let (semaphores, values) = ([self.semaphore], [value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        // SAFETY: the semaphore lives as long as the device's use, and the pointers are valid.
        match unsafe { (device.functions.wait_semaphores)(device.handle, &info, time.as_nanos() as u64) } {
            vk::Result::SUCCESS => {
                self.saw(value);
                Ok(())
            }
            vk::Result::TIMEOUT => Ok(()),
            code => Err(device.error(code)),
        }
    }

    /// Signals the value from the host.
    pub(super) fn signal(&self, value: u64) -> Result<()> {
        let device = self.device;
        let _call = device.enter()?;
        let info = vk::SemaphoreSignalInfo::default().semaphore(self.semaphore).value(value);
        // SAFETY: the semaphore lives as long as the device's use, and the pointer is valid.
        device.check(unsafe { (device.functions.signal_semaphore)(device.handle, &info) })
    }

    /// Destroys the semaphore, which nothing uses any more.
    pub(super) fn destroy(&self) {
        let device = self.device;
        // SAFETY: this function requires it.
        unsafe { (device.functions.destroy_semaphore)(device.handle, self.semaphore, std::ptr::null()) };
    }
}
