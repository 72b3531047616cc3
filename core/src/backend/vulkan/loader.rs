//! The system's Vulkan loader, and gevt's instance for devices that gevt opens.

use super::exit;
use super::functions::{Entry, GetInstanceProcAddr, InstanceFunctions};
use crate::error::{Error, Result};
use crate::lifecycle::watch_exit;
use crate::os::library::{self, Library};
use crate::process::Uncancelled;
use ash::vk;
use once_cell::sync::OnceCell;
use std::ffi::CStr;

const NO_LIBRARY: Error = Error::NoBackend(library::NO_VULKAN);
const TOO_OLD: Error = Error::NoBackend("the Vulkan loader is older than Vulkan 1.2");
const FAILED: Error = Error::NoBackend("the Vulkan loader cannot create an instance (vkCreateInstance failed)");
const NO_DEVICES: Error = Error::NoBackend("the Vulkan loader has no device to offer");

/// The host's clock, in Vulkan's terms.
pub(super) const HOST: vk::TimeDomainKHR =
    if cfg!(windows) { vk::TimeDomainKHR::QUERY_PERFORMANCE_COUNTER } else { vk::TimeDomainKHR::CLOCK_MONOTONIC };

/// So many are asked for, which spares a call that counts them.
const MOST_DEVICES: u32 = 64;
const MOST_FAMILIES: u32 = 32;
const MOST_EXTENSIONS: u32 = 1024;
const MOST_CLOCKS: u32 = 16;

/// An instance, and its functions.
pub(super) struct Instance {
    pub(super) handle: vk::Instance,
    pub(super) functions: InstanceFunctions,
}

impl Instance {
    /// Takes an instance.
    ///
    /// # Safety
    /// `entry` is a Vulkan loader's vkGetInstanceProcAddr, and `handle` a live instance of it.
    pub(super) unsafe fn new(entry: GetInstanceProcAddr, handle: vk::Instance) -> Result<Instance> {
        // SAFETY: by this function's requirement.
        let functions = unsafe { InstanceFunctions::load(|name| entry(handle, name.as_ptr())) }?;
        Ok(Instance { handle, functions })
    }

    /// Returns the physical devices in the loader's order.
    pub(super) fn devices(&self) -> Result<Vec<vk::PhysicalDevice>> {
        // SAFETY: the instance lives, and the list has `count` elements.
        list(MOST_DEVICES, |count, devices| unsafe { (self.functions.devices)(self.handle, count, devices) })
            .map_err(|code| failed(code, NO_DEVICES))
    }

    /// Returns the queue families of a physical device.
    pub(super) fn families(&self, physical: vk::PhysicalDevice) -> Vec<vk::QueueFamilyProperties> {
        let families = list(MOST_FAMILIES, |count, families| {
            // SAFETY: the device is one of the instance's, and the list has `count` elements.
            unsafe { (self.functions.families)(physical, count, families) };
            vk::Result::SUCCESS
        });
        families.unwrap_or_default()
    }

    /// Returns the extensions that a physical device offers, none if the driver does not say.
    pub(super) fn extensions(&self, physical: vk::PhysicalDevice) -> Vec<vk::ExtensionProperties> {
        let get = self.functions.extensions;
        // SAFETY: as above.
        list(MOST_EXTENSIONS, |count, list| unsafe { get(physical, std::ptr::null(), count, list) }).unwrap_or_default()
    }

    /// Returns whether a physical device's clock and the host's can be read together.
    pub(super) fn has_clocks(&self, physical: vk::PhysicalDevice) -> bool {
        let Some(get) = self.functions.time_domains else { return false };
        // SAFETY: as above.
        let clocks = list(MOST_CLOCKS, |count, clocks| unsafe { get(physical, count, clocks) }).unwrap_or_default();
        [vk::TimeDomainKHR::DEVICE, HOST].iter().all(|clock| clocks.contains(clock))
    }

    /// Returns the properties of a physical device.
    pub(super) fn properties(&self, physical: vk::PhysicalDevice) -> vk::PhysicalDeviceProperties {
        let mut properties = vk::PhysicalDeviceProperties::default();
        // SAFETY: the device is one of the instance's, and the pointer is valid.
        unsafe { (self.functions.properties)(physical, &mut properties) };
        properties
    }
}

/// Returns a list that `fill` stores in an array of up to `most` elements.
fn list<T: Clone + Default>(
    most: u32,
    fill: impl FnOnce(&mut u32, *mut T) -> vk::Result,
) -> std::result::Result<Vec<T>, vk::Result> {
    let (mut count, mut list) = (most, vec![T::default(); most as usize]);
    match fill(&mut count, list.as_mut_ptr()) {
        vk::Result::SUCCESS | vk::Result::INCOMPLETE => {
            list.truncate(count as usize);
            Ok(list)
        }
        code => Err(code),
    }
}

/// Returns whether one of the extensions has that name.
pub(super) fn has_extension(extensions: &[vk::ExtensionProperties], name: &CStr) -> bool {
    extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name))
}

/// Maps a VkResult to an error: out of memory, or else `other`.
pub(super) fn failed(code: vk::Result, other: Error) -> Error {
    match code {
        vk::Result::ERROR_OUT_OF_HOST_MEMORY | vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => Error::OutOfMemory,
        _ => other,
    }
}

/// gevt's instance, made once, or the reason why it cannot be made. Only running out of memory is retried.
pub(super) fn get() -> Result<&'static Instance> {
    static INSTANCE: OnceCell<Result<Instance>> = OnceCell::new();
    let make = || match load() {
        Err(Error::OutOfMemory) => Err(Error::OutOfMemory),
        outcome => Ok(outcome),
    };
    INSTANCE.get_or_try_init(make)?.as_ref().map_err(|error| *error)
}

/// The physical devices of that instance, in the loader's order; at least one.
pub(super) fn devices() -> Result<Vec<vk::PhysicalDevice>> {
    let _use = exit::enter()?;
    let devices = get()?.devices()?;
    if devices.is_empty() { Err(NO_DEVICES) } else { Ok(devices) }
}

fn load() -> Result<Instance> {
    let _uncancelled = Uncancelled::new();
    // SAFETY: the loader's own initializers are what every Vulkan program runs.
    let library = unsafe { Library::open(library::VULKAN) }.ok_or(NO_LIBRARY)?;
    // SAFETY: Vulkan gives the symbol this type.
    let entry = unsafe { library.get::<GetInstanceProcAddr>(b"vkGetInstanceProcAddr\0") }.ok_or(NO_LIBRARY)?;
    // SAFETY: vkGetInstanceProcAddr finds Vulkan's functions. With a null instance it finds functions that need no
    // instance.
    let functions = unsafe { Entry::load(|name| entry(vk::Instance::null(), name.as_ptr())) }.map_err(|_| TOO_OLD)?;
    let mut version = vk::API_VERSION_1_0;
    if let Some(of_instance) = functions.version {
        // SAFETY: the pointer is valid.
        let code = unsafe { of_instance(&mut version) };
        if code != vk::Result::SUCCESS {
            return Err(FAILED);
        }
    }
    if version < vk::API_VERSION_1_2 {
        return Err(TOO_OLD);
    }
    let version = version.min(vk::API_VERSION_1_3);
    let application = vk::ApplicationInfo::default().engine_name(c"gevt").api_version(version);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    let mut handle = vk::Instance::null();
    // SAFETY: the pointers are valid.
    let code = unsafe { (functions.create_instance)(&info, std::ptr::null(), &mut handle) };
    // The drivers' exit handlers are registered by now: gevt's own run before them.
    watch_exit()?;
    if code != vk::Result::SUCCESS {
        return Err(failed(code, FAILED));
    }
    // SAFETY: the loader has just made it, and it is never destroyed.
    unsafe { Instance::new(entry, handle) }
}
