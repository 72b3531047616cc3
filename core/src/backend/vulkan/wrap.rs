//! The program's devices, queues and semaphores.

use super::calls::ENDED;
use super::device::Vulkan;
use super::devices;
use super::exit;
use super::functions::GetInstanceProcAddr;
use super::identity::identity;
use super::loader::Instance;
use super::native::{FEATURES, Made, NativeDevice, TIMELINE_SEMAPHORE, part};
use super::open::CALIBRATED;
use super::queue::{CallersLock, Lock, Queue};
use super::stream::VulkanStream;
use crate::backend::{Backend, NativeStream};
use crate::error::{Error, Result};
use ash::vk::{self, Handle};
use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;
use std::sync::atomic::Ordering;

const TOO_OLD: Error = Error::Unsupported("the VkDevice has to be made for Vulkan 1.1 or later");
const NO_EXPORT: Error = Error::Unsupported(if cfg!(windows) {
    "GEVT_VULKAN_EXPORTABLE needs VK_KHR_external_semaphore_win32 among the extensions of gevt_vulkan_device_t"
} else {
    "GEVT_VULKAN_EXPORTABLE needs VK_KHR_external_semaphore_fd among the extensions of gevt_vulkan_device_t"
});
const NO_TIMELINES: Error = Error::Unsupported("the VkDevice has to be made with timelineSemaphore");

/// Waits are collected.
const COLLECT_WAITS: u32 = 1;
/// The stream's semaphore can be exported.
const EXPORTABLE: u32 = 2;

/// Semaphores can be exported with [`super::timeline`]'s type of handles.
const EXPORTS: &CStr =
    if cfg!(windows) { vk::KHR_EXTERNAL_SEMAPHORE_WIN32_NAME } else { vk::KHR_EXTERNAL_SEMAPHORE_FD_NAME };

/// The program's device.
pub struct DeviceInfo {
    /// The VkInstance.
    pub instance: u64,
    /// The VkPhysicalDevice.
    pub physical_device: u64,
    /// The VkDevice.
    pub device: u64,
    /// The vkGetInstanceProcAddr that the program calls Vulkan by.
    pub get_instance_proc_addr: *const c_void,
    /// The version that instance and device were made for.
    pub api_version: u32,
    /// The features that were enabled, as bits of gevt.h.
    pub features: u32,
    /// The names of the device's extensions.
    pub extensions: *const *const c_char,
    /// Their number.
    pub extension_count: u32,
}

impl DeviceInfo {
    /// Rejects unusable values.
    pub(crate) fn check(&self) -> Result<()> {
        let pointers = [
            ("device->instance", self.instance == 0),
            ("device->physical_device", self.physical_device == 0),
            ("device->device", self.device == 0),
            ("device->get_instance_proc_addr", self.get_instance_proc_addr.is_null()),
            ("device->extensions", self.extensions.is_null() && self.extension_count != 0),
        ];
        if let Some((name, _)) = pointers.into_iter().find(|(_, is_missing)| *is_missing) {
            return Err(Error::NullPointer(name));
        }
        if self.api_version < vk::API_VERSION_1_1 {
            return Err(TOO_OLD);
        }
        match self.features & !FEATURES {
            0 if self.features & TIMELINE_SEMAPHORE == 0 => Err(NO_TIMELINES),
            0 => Ok(()),
            unknown => Err(Error::BadFlags(unknown)),
        }
    }

    /// Makes the backend of the device.
    ///
    /// # Safety
    /// Each non-null, nonzero field is what its name says and belongs to one live device. The device lives until the last handle of its
    /// context has been closed.
    pub(crate) unsafe fn wrap(&self) -> Result<Box<dyn Backend>> {
        let _use = exit::enter()?;
        // The driver's exit handlers are registered by now: gevt's own run before them.
        exit::MADE.watch_exit()?;
        let (mut calibrated, mut exports) = (false, false);
        for at in 0..self.extension_count as usize {
            // SAFETY: not null, so this function requires it to be an array of that length.
            let name = unsafe { self.extensions.add(at).read_unaligned() };
            if name.is_null() {
                continue;
            }
            // SAFETY: this function requires it to be a name.
            let name = unsafe { CStr::from_ptr(name) };
            calibrated |= CALIBRATED.contains(&name);
            exports |= name == EXPORTS;
        }
        // SAFETY: not null, so this function requires it to be a vkGetInstanceProcAddr.
        let entry = unsafe { std::mem::transmute::<*const c_void, GetInstanceProcAddr>(self.get_instance_proc_addr) };
        // SAFETY: this function requires it to be a live instance of that loader.
        let instance = unsafe { Instance::new(entry, vk::Instance::from_raw(self.instance)) }?;
        let physical = vk::PhysicalDevice::from_raw(self.physical_device);
        let made = Made { features: self.features, calibrated, exports, wrapped: true };
        let number = instance.devices()?.iter().position(|device| *device == physical);
        let numbered = (number.map_or(-1, |number| number as i32), physical);
        // SAFETY: this function requires it to be a live device that was made that way.
        let native = unsafe { NativeDevice::new(&instance, numbered, vk::Device::from_raw(self.device), made) }?;
        let device = Vulkan::new(native, identity(&instance, physical));
        devices::watch(&device);
        Ok(Box::new(device))
    }
}

/// The program's queue.
#[derive(Clone, Copy)]
pub struct QueueInfo {
    /// The VkQueue.
    pub queue: u64,
    /// Its family.
    pub family: u32,
    /// Flags of gevt.h.
    pub flags: u32,
    /// Locks the queue.
    pub lock: Option<extern "C" fn(*mut c_void)>,
    /// Unlocks the queue.
    pub unlock: Option<extern "C" fn(*mut c_void)>,
    /// The argument of both.
    pub user: *mut c_void,
}

impl QueueInfo {
    /// Makes a stream on the queue.
    ///
    /// # Safety
    /// The queue is null, or belongs to the backend's device and to the given family. The functions may be called with `user` on any
    /// thread until its context ends.
    pub(crate) unsafe fn wrap(self, backend: &dyn Backend) -> Result<NativeStream> {
        let device = of(backend)?;
        if !device.made.wrapped {
            return Err(Error::Unsupported("the context is not one of gevt_vulkan_wrap_device"));
        }
        if self.queue == 0 {
            return Err(Error::NullPointer("queue->queue"));
        }
        if self.flags & !(COLLECT_WAITS | EXPORTABLE) != 0 {
            return Err(Error::BadFlags(self.flags));
        }
        if self.flags & EXPORTABLE != 0 && !device.made.exports {
            return Err(NO_EXPORT);
        }
        if self.family as usize >= device.families.len() {
            return Err(Error::BadArgument("queue->family"));
        }
        let lock = match (self.lock, self.unlock) {
            (Some(lock), Some(unlock)) => Lock::Callers(CallersLock { lock, unlock, user: self.user }),
            (None, None) => Lock::Absent,
            (None, _) => return Err(Error::NullPointer("queue->lock")),
            (_, None) => return Err(Error::NullPointer("queue->unlock")),
        };
        let handle = vk::Queue::from_raw(self.queue);
        let mut queues = device.queues.lock();
        let at = queues.iter().position(|queue| queue.handle == handle);
        let known = at.and_then(|at| queues.get(at)).map(part);
        let queue = match known {
            Some(known) if known.family == self.family && known.lock.is_same(&lock) => known,
            Some(known) if known.users.load(Ordering::SeqCst) != 0 => return Err(Error::BadArgument("queue")),
            _ => {
                // Free streams still name the old one.
                let old = at.map(|at| queues.swap_remove(at));
                device.old_queues.lock().extend(old);
                let queue = Arc::new(Queue::new(device.native.clone(), handle, self.family, lock, &queues));
                let known = part(&queue);
                queues.push(queue);
                known
            }
        };
        // Under the lock, as in `open_stream`.
        device.stream_on(queue, self.flags & COLLECT_WAITS != 0, self.flags & EXPORTABLE != 0).map(VulkanStream::token)
    }
}

/// The Vulkan device of a context.
pub(super) fn of(backend: &dyn Backend) -> Result<&Arc<Vulkan>> {
    let device = ended_or_not(backend)?;
    if device.calls.has_ended() { Err(ENDED) } else { Ok(device) }
}

/// Like [`of`], also of a context that its owner has closed.
pub(super) fn ended_or_not(backend: &dyn Backend) -> Result<&Arc<Vulkan>> {
    let any: &dyn std::any::Any = backend;
    any.downcast_ref::<Arc<Vulkan>>().ok_or(Error::Unsupported("the context is not one of Vulkan"))
}
