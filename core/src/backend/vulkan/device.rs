//! A VkDevice: its functions and features, and whether it still answers.

use super::calls::{Calls, ENDED};
use super::clock::{Clock, has_clocks};
use super::exit;
use super::functions::DeviceFunctions;
use super::identity::identity;
use super::loader::Instance;
use super::queue::Queue;
use super::stream::VulkanStream;
use super::times::Times;
use super::watcher::Timelines;
use crate::backend::identity::Identity;
use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::pin::Pin;
use crate::point::Notifier;
use crate::process::note_loss;
use crate::status::Status;
use ash::vk;
use once_cell::sync::OnceCell;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

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

/// A device, opened or wrapped.
///
/// It owns its queues, its streams with their timelines, and its places for timestamps. They and the device name each other by references
/// that are valid as long as a [`DeviceUse`] exists. The context has one, and so has whatever names a part of the device longer than
/// the context's objects do: a task, a thread, a wait in another device's stream.
pub(crate) struct Vulkan {
    /// Where the device is, for [`Vulkan::used`].
    place: AtomicPtr<Vulkan>,
    /// Tells it from the other devices that were ever used.
    pub(super) serial: u64,
    pub(super) functions: DeviceFunctions,
    pub(super) handle: vk::Device,
    pub(super) number: i32,
    pub(super) identity: Identity,
    pub(super) made: Made,
    /// Nanoseconds of a timestamp's unit.
    pub(super) period: f64,
    pub(super) families: Vec<vk::QueueFamilyProperties>,
    pub(super) calls: Calls,
    /// In the order in which they became known.
    pub(super) queues: Mutex<Vec<Arc<Queue>>>,
    /// Queues that the program has wrapped again in another way.
    pub(super) old_queues: Mutex<Vec<Arc<Queue>>>,
    /// The default stream, made at its first use.
    pub(super) default: OnceCell<&'static VulkanStream>,
    /// Counts gevt's streams, which are assigned to the queues round-robin.
    pub(super) turn: AtomicUsize,
    /// All streams that were ever made.
    pub(super) streams: Mutex<Vec<Arc<VulkanStream>>>,
    pub(super) times: Times,
    pub(super) clock: Clock,
    pub(super) notifier: Notifier<Timelines>,
    /// Streams that are free for reuse.
    pub(super) free: Mutex<Vec<&'static VulkanStream>>,
    /// Whether work was ever submitted to one of its queues.
    has_submitted: AtomicBool,
    /// Why the device is lost; 0 while it is not.
    lost: AtomicI32,
}

/// Keeps a device and its parts in memory.
#[derive(Clone)]
pub(crate) struct DeviceUse(Arc<Vulkan>);

impl DeviceUse {
    pub(super) fn new(device: Vulkan) -> DeviceUse {
        let device = Arc::new(device);
        device.place.store(Arc::as_ptr(&device).cast_mut(), Ordering::Release);
        DeviceUse(device)
    }

    /// The device, for a caller that has a use of it for as long as the reference is used.
    #[inline]
    pub(super) fn get(&self) -> &'static Vulkan {
        part(&self.0)
    }
}

impl Deref for DeviceUse {
    type Target = Vulkan;

    fn deref(&self) -> &Vulkan {
        &self.0
    }
}

/// What a device owns, or the device itself, for a caller that has a use of the device for as long as the reference is used.
#[inline]
pub(super) fn part<T>(owned: &Arc<T>) -> &'static T {
    // SAFETY: each caller is a call with the context's use, or has a `DeviceUse`. Either keeps the device and all it owns in memory.
    unsafe { &*Arc::as_ptr(owned) }
}

impl Vulkan {
    /// Another use of the device, which the caller has in use.
    pub(super) fn used(&self) -> DeviceUse {
        let place = self.place.load(Ordering::Acquire);
        // SAFETY: `DeviceUse::new` has stored the place of the `Arc` that the device is in, and the caller's use keeps that alive.
        DeviceUse(unsafe {
            Arc::increment_strong_count(place);
            Arc::from_raw(place)
        })
    }

    /// All streams that were ever made.
    pub(super) fn all_streams(&self) -> Vec<&'static VulkanStream> {
        self.streams.lock().iter().map(part).collect()
    }

    /// Takes a device.
    ///
    /// # Safety
    /// `handle` is a live device of the physical one, which has that number in the instance, and was made as `made` says.
    pub(super) unsafe fn new(
        instance: &Instance,
        (number, physical): (i32, vk::PhysicalDevice),
        handle: vk::Device,
        made: Made,
    ) -> Result<Vulkan> {
        let get = instance.functions.get_device_proc_addr;
        // SAFETY: the device lives, and vkGetDeviceProcAddr finds Vulkan's functions.
        let mut functions = unsafe { DeviceFunctions::load(|name| get(handle, name.as_ptr())) }?;
        functions.host_reset_queries = functions.host_reset_queries.filter(|_| made.features & HOST_QUERY_RESET != 0);
        let mut made = made;
        made.calibrated = made.calibrated && has_clocks(instance, physical);
        static DEVICES: AtomicU64 = AtomicU64::new(0);
        Ok(Vulkan {
            place: AtomicPtr::default(),
            serial: DEVICES.fetch_add(1, Ordering::Relaxed) + 1,
            functions,
            handle,
            number,
            identity: identity(instance, physical),
            made,
            period: instance.properties(physical).limits.timestamp_period.into(),
            families: instance.families(physical),
            calls: Calls::new(),
            queues: Mutex::default(),
            old_queues: Mutex::default(),
            default: OnceCell::new(),
            turn: AtomicUsize::new(0),
            streams: Mutex::default(),
            times: Times::default(),
            clock: Clock::default(),
            notifier: Notifier::new(Timelines),
            free: Mutex::default(),
            has_submitted: AtomicBool::new(false),
            lost: AtomicI32::new(0),
        })
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

    /// Returns whether the feature was enabled.
    pub(super) fn has(&self, feature: u32) -> bool {
        self.made.features & feature != 0
    }

    /// Begins a call of the device's functions.
    #[inline]
    pub(super) fn enter(&self) -> Result<Pin> {
        let pin = self.calls.enter()?;
        self.check_lost().map(|()| pin)
    }

    /// Like [`Vulkan::enter`], for a caller that has pinned the device.
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
        match self.lost.load(Ordering::Acquire) {
            0 => None,
            code => Some(Status(code)),
        }
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
