//! Devices that gevt opens itself, for programs that have none.

use super::device::Vulkan;
use super::devices;
use super::exit;
use super::identity::identity;
use super::loader::{self, Instance, has_extension};
use super::native::{HOST_QUERY_RESET, Made, NativeDevice, SYNCHRONIZATION2, TIMELINE_SEMAPHORE};
use super::queue::{Lock, OwnLock, Queue};
use crate::error::{Error, Result};
use ash::vk;
use std::ffi::CStr;
use std::sync::Arc;

/// The maximum number of queues of a device that gevt opens; its streams share them.
const QUEUES: u32 = 8;

const TOO_OLD: Error = Error::Unsupported("the device has no timeline semaphores (Vulkan 1.2, timelineSemaphore)");
const NO_QUEUES: Error = Error::Unsupported("the device has no queue family for compute");

/// The extensions that put a device's times on the host's clock; one of them is enough.
pub(super) const CALIBRATED: [&CStr; 2] = [vk::KHR_CALIBRATED_TIMESTAMPS_NAME, vk::EXT_CALIBRATED_TIMESTAMPS_NAME];

/// Makes a VkDevice on a physical device.
pub(super) fn open(number: i32) -> Result<Arc<Vulkan>> {
    let _use = exit::enter()?;
    let instance = loader::get()?;
    let devices = loader::devices()?;
    let physical = usize::try_from(number).ok().and_then(|at| devices.get(at));
    let physical = *physical.ok_or(Error::BadDevice(number))?;
    let features = features(instance, physical)?;
    let families = instance.families(physical);
    let family = best(&families).ok_or(NO_QUEUES)?;
    let count = families[family].queue_count.min(QUEUES);
    let offered = instance.extensions(physical);
    let calibrated = CALIBRATED.into_iter().find(|name| has_extension(&offered, name));

    let priorities = vec![1.0; count as usize];
    let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family as u32).queue_priorities(&priorities)];
    let mut features12 = vk::PhysicalDeviceVulkan12Features::default()
        .timeline_semaphore(true)
        .host_query_reset(features & HOST_QUERY_RESET != 0);
    // For the caller's own submits and timestamps; gevt's do without.
    let mut features13 = vk::PhysicalDeviceVulkan13Features::default().synchronization2(true);
    let extensions: Vec<_> = calibrated.iter().map(|name| name.as_ptr()).collect();
    let mut info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&extensions)
        .push_next(&mut features12);
    if features & SYNCHRONIZATION2 != 0 {
        info = info.push_next(&mut features13);
    }
    let mut handle = vk::Device::null();
    // SAFETY: the pointers are valid during the call, and the device has all that is enabled.
    let code = unsafe { (instance.functions.create_device)(physical, &info, std::ptr::null(), &mut handle) };
    if code != vk::Result::SUCCESS {
        return Err(loader::failed(code, Error::Vulkan(code.as_raw())));
    }
    let made = Made { features, calibrated: calibrated.is_some(), exports: false, wrapped: false };
    exit::MADE.watch_exit()?;
    // SAFETY: the device has just been made that way.
    let native = unsafe { NativeDevice::new(instance, (number, physical), handle, made) }?;
    let device = Vulkan::new(native, identity(instance, physical));
    devices::watch(&device);
    for at in 0..count {
        let mut queue = vk::Queue::null();
        // SAFETY: the device was made with that many queues of the family.
        unsafe { (device.functions.queue)(handle, family as u32, at, &mut queue) };
        let queue = Queue::new(device.native.clone(), queue, family as u32, Lock::Own(OwnLock::default()), &[]);
        device.queues.lock().push(Arc::new(queue));
    }
    Ok(device)
}

/// The features of gevt_vulkan_device_t that the device has.
fn features(instance: &Instance, physical: vk::PhysicalDevice) -> Result<u32> {
    let properties = instance.properties(physical);
    if properties.api_version < vk::API_VERSION_1_2 {
        return Err(TOO_OLD);
    }
    let is_1_3 = properties.api_version >= vk::API_VERSION_1_3;
    let mut features12 = vk::PhysicalDeviceVulkan12Features::default();
    let mut features13 = vk::PhysicalDeviceVulkan13Features::default();
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut features12);
    if is_1_3 {
        all = all.push_next(&mut features13);
    }
    // SAFETY: the device is one of the instance's, and the chain has structures of the device's version.
    unsafe { (instance.functions.features)(physical, &mut all) };
    if features12.timeline_semaphore == 0 {
        return Err(TOO_OLD);
    }
    let synchronization2 = if is_1_3 && features13.synchronization2 != 0 { SYNCHRONIZATION2 } else { 0 };
    let reset = if features12.host_query_reset != 0 { HOST_QUERY_RESET } else { 0 };
    Ok(TIMELINE_SEMAPHORE | synchronization2 | reset)
}

/// The queue family for a device that gevt opens: a compute family, with timestamps and many queues if possible.
fn best(families: &[vk::QueueFamilyProperties]) -> Option<usize> {
    let computes = families
        .iter()
        .enumerate()
        .filter(|(_, family)| family.queue_flags.contains(vk::QueueFlags::COMPUTE) && family.queue_count > 0);
    computes
        .max_by_key(|(at, family)| (family.timestamp_valid_bits, family.queue_count.min(QUEUES), usize::MAX - at))
        .map(|(at, _)| at)
}
