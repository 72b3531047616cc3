//! The native device: its handle, functions and features, and whether it still answers.

use super::calls::{Calls, ENDED};
use super::exit;
use super::functions::DeviceFunctions;
use super::loader::Instance;
use super::watcher::Timelines;
use crate::error::{Error, Result};
use crate::pin::Pin;
use crate::point::Notifier;
use crate::probe::Place;
use crate::process::note_loss;
use crate::status::Status;
use ash::vk;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};

/// The bits of a device's features.
pub(super) const TIMELINE_SEMAPHORE: u32 = 1;
pub(super) const SYNCHRONIZATION2: u32 = 2;
pub(super) const HOST_QUERY_RESET: u32 = 4;
pub(super) const FEATURES: u32 = TIMELINE_SEMAPHORE | SYNCHRONIZATION2 | HOST_QUERY_RESET;

/// How a device was made.
pub(super) struct Made {
    pub(super) features: u32,
    /// With VK_EXT_calibrated_timestamps, or the same of KHR.
    pub(super) calibrated: bool,
    /// With the extension that exports semaphores.
    pub(super) exports: bool,
    /// The program's, which it takes back by closing the context's last handle.
    pub(super) wrapped: bool,
}

/// A VkDevice. Its parts, as timelines and queues, call it by this.
pub(super) struct NativeDevice {
    /// Tells it from the other devices that were ever used.
    serial: u64,
    pub(super) functions: DeviceFunctions,
    pub(super) handle: vk::Device,
    pub(super) number: i32,
    pub(super) made: Made,
    /// Nanoseconds of a timestamp's unit.
    pub(super) period: f64,
    pub(super) families: Vec<vk::QueueFamilyProperties>,
    pub(super) calls: Calls,
    pub(super) notifier: Notifier<Timelines>,
    /// Whether work was ever submitted to one of its queues.
    has_submitted: AtomicBool,
    /// Why the device is lost; 0 while it is not.
    lost: AtomicI32,
}

/// What a device owns, or the native device, for a caller that has a use of the device for as long as the reference is used.
#[inline]
pub(super) fn part<T>(owned: &Arc<T>) -> &'static T {
    // SAFETY: each caller is a call with the context's use, or has an `Arc` of it. Either keeps the device and all it owns in memory.
    unsafe { &*Arc::as_ptr(owned) }
}

impl NativeDevice {
    /// Takes a device.
    ///
    /// # Safety
    /// `handle` is a live device of the physical one, which has that number in the instance, and was made as `made` says.
    pub(super) unsafe fn new(
        instance: &Instance,
        (number, physical): (i32, vk::PhysicalDevice),
        handle: vk::Device,
        made: Made,
    ) -> Result<NativeDevice> {
        let made = Made { calibrated: made.calibrated && instance.has_clocks(physical), ..made };
        let get = instance.functions.get_device_proc_addr;
        // SAFETY: the device lives, and vkGetDeviceProcAddr finds Vulkan's functions.
        let mut functions = unsafe { DeviceFunctions::load(|name| get(handle, name.as_ptr())) }?;
        functions.host_reset_queries = functions.host_reset_queries.filter(|_| made.features & HOST_QUERY_RESET != 0);
        static DEVICES: AtomicU64 = AtomicU64::new(0);
        Ok(NativeDevice {
            serial: DEVICES.fetch_add(1, Ordering::Relaxed) + 1,
            functions,
            handle,
            number,
            made,
            period: instance.properties(physical).limits.timestamp_period.into(),
            families: instance.families(physical),
            calls: Calls::new(),
            notifier: Notifier::new(Timelines),
            has_submitted: AtomicBool::new(false),
            lost: AtomicI32::new(0),
        })
    }

    /// The device in traces.
    pub(super) fn place(&self) -> Place {
        Place::Vulkan { device: self.number, context: self.serial }
    }

    /// Returns whether the host can reset queries.
    pub(super) fn can_reset(&self) -> bool {
        self.functions.host_reset_queries.is_some()
    }

    /// Resets queries from the host, unless it cannot: nothing of the device's uses them.
    pub(super) fn reset_queries(&self, pool: vk::QueryPool, first: u32, count: usize) -> bool {
        if let Some(reset) = self.functions.host_reset_queries {
            // SAFETY: the pool lives as long as the device's use, and the feature is on.
            unsafe { reset(self.handle, pool, first, count as u32) };
        }
        self.can_reset()
    }

    /// Returns whether queues of the family reset queries themselves.
    pub(super) fn resets_by_command(&self, family: u32) -> bool {
        let able = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
        self.families.get(family as usize).is_some_and(|family| family.queue_flags.intersects(able))
    }

    /// The valid bits of the family's timestamps.
    pub(super) fn valid_bits(&self, family: u32) -> u32 {
        self.families.get(family as usize).map_or(0, |family| family.timestamp_valid_bits)
    }

    /// Notes that work was submitted to one of its queues.
    #[inline]
    pub(super) fn note_submit(&self) {
        if !self.has_submitted.load(Ordering::Relaxed) {
            self.has_submitted.store(true, Ordering::Relaxed);
            // Without memory for that, the submit still counts.
            let _ = exit::SUBMITTED.watch_exit();
        }
    }

    /// Begins a call of the device's functions.
    #[inline]
    pub(super) fn enter(&self) -> Result<Pin> {
        let pin = self.calls.enter()?;
        self.check_lost().map(|()| pin)
    }

    /// Like [`NativeDevice::enter`], for a caller that has pinned the device.
    #[inline]
    pub(super) fn check_pinned(&self) -> Result<()> {
        self.calls.check()?;
        self.check_lost()
    }

    /// Converts a VkResult to a result, and marks the device lost if it says so.
    #[inline]
    pub(super) fn check(&self, code: vk::Result) -> Result<()> {
        if code == vk::Result::SUCCESS { Ok(()) } else { Err(self.error(code)) }
    }

    /// Converts a VkResult other than success to an error, and marks the device lost if the result says so.
    #[cold]
    pub(super) fn error(&self, code: vk::Result) -> Error {
        match code {
            vk::Result::ERROR_OUT_OF_HOST_MEMORY
            | vk::Result::ERROR_OUT_OF_DEVICE_MEMORY
            | vk::Result::ERROR_TOO_MANY_OBJECTS
            | vk::Result::ERROR_FRAGMENTATION => Error::OutOfMemory,
            vk::Result::ERROR_DEVICE_LOST => self.lose(Status::LAUNCH_FAILED),
            vk::Result::TIMEOUT | vk::Result::NOT_READY => Error::TimedOut,
            code => Error::Vulkan(code.as_raw()),
        }
    }

    /// Marks the device as one that no longer answers.
    pub(super) fn lose(&self, status: Status) -> Error {
        let first = self.lost.compare_exchange(0, status.0, Ordering::AcqRel, Ordering::Acquire);
        note_loss();
        Error::ContextLost(first.map_or_else(Status, |_| status))
    }

    pub(super) fn lost(&self) -> Option<Status> {
        let lost = Status(self.lost.load(Ordering::Acquire));
        (lost != Status::SUCCESS).then_some(lost)
    }

    /// Fails if the device is lost.
    #[inline]
    pub(super) fn check_lost(&self) -> Result<()> {
        match self.lost() {
            None => Ok(()),
            Some(_) if self.calls.has_ended() => Err(ENDED),
            Some(status) => Err(Error::ContextLost(status)),
        }
    }
}
