//! Vulkan's functions, looked up by name. The types are ash's, the tables gevt's: ash's tables panic on a missing
//! function.

use crate::error::{Error, Result};
use ash::vk;
use std::ffi::{CStr, c_char};

/// The function by which all others are found.
pub(super) type GetInstanceProcAddr =
    unsafe extern "system" fn(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction;

const MISSING: Error = Error::Unsupported("the Vulkan driver lacks a function that gevt needs");

macro_rules! functions {
    (
        $(#[$about:meta])*
        $table:ident
        needed { $($field:ident: $type:ident = [$($symbol:literal),*];)* }
        optional { $($maybe:ident: $maybe_type:ident = [$($maybe_symbol:literal),*];)* }
    ) => {
        $(#[$about])*
        pub(super) struct $table {
            $(pub(super) $field: vk::$type,)*
            $(pub(super) $maybe: Option<vk::$maybe_type>,)*
        }

        impl $table {
            /// Looks the functions up.
            ///
            /// # Safety
            /// For each name, `look_up` returns Vulkan's function of that name, or null.
            pub(super) unsafe fn load(look_up: impl Fn(&CStr) -> vk::PFN_vkVoidFunction) -> Result<$table> {
                Ok($table {
                    $($field: {
                        let found = None$(.or_else(|| look_up($symbol)))*.ok_or(MISSING)?;
                        // SAFETY: this function requires it to be the one of that name, whose type this is.
                        unsafe { std::mem::transmute::<unsafe extern "system" fn(), vk::$type>(found) }
                    },)*
                    $($maybe: {
                        let found = None$(.or_else(|| look_up($maybe_symbol)))*;
                        // SAFETY: as above.
                        found.map(|found| unsafe {
                            std::mem::transmute::<unsafe extern "system" fn(), vk::$maybe_type>(found)
                        })
                    },)*
                })
            }
        }
    };
}

functions! {
    /// The functions that need no instance.
    Entry
    needed {
        create_instance: PFN_vkCreateInstance = [c"vkCreateInstance"];
    }
    optional {
        version: PFN_vkEnumerateInstanceVersion = [c"vkEnumerateInstanceVersion"];
    }
}

functions! {
    /// The functions of an instance and its physical devices.
    InstanceFunctions
    needed {
        devices: PFN_vkEnumeratePhysicalDevices = [c"vkEnumeratePhysicalDevices"];
        properties: PFN_vkGetPhysicalDeviceProperties = [c"vkGetPhysicalDeviceProperties"];
        properties2: PFN_vkGetPhysicalDeviceProperties2 = [c"vkGetPhysicalDeviceProperties2"];
        families: PFN_vkGetPhysicalDeviceQueueFamilyProperties = [c"vkGetPhysicalDeviceQueueFamilyProperties"];
        features: PFN_vkGetPhysicalDeviceFeatures2 = [c"vkGetPhysicalDeviceFeatures2"];
        extensions: PFN_vkEnumerateDeviceExtensionProperties = [c"vkEnumerateDeviceExtensionProperties"];
        create_device: PFN_vkCreateDevice = [c"vkCreateDevice"];
        get_device_proc_addr: PFN_vkGetDeviceProcAddr = [c"vkGetDeviceProcAddr"];
    }
    optional {
        time_domains: PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsKHR = [
            c"vkGetPhysicalDeviceCalibrateableTimeDomainsKHR",
            c"vkGetPhysicalDeviceCalibrateableTimeDomainsEXT"
        ];
    }
}

functions! {
    /// The functions of a device.
    DeviceFunctions
    needed {
        destroy: PFN_vkDestroyDevice = [c"vkDestroyDevice"];
        queue: PFN_vkGetDeviceQueue = [c"vkGetDeviceQueue"];
        submit: PFN_vkQueueSubmit = [c"vkQueueSubmit"];
        create_semaphore: PFN_vkCreateSemaphore = [c"vkCreateSemaphore"];
        destroy_semaphore: PFN_vkDestroySemaphore = [c"vkDestroySemaphore"];
        semaphore_value: PFN_vkGetSemaphoreCounterValue = [c"vkGetSemaphoreCounterValue", c"vkGetSemaphoreCounterValueKHR"];
        wait_semaphores: PFN_vkWaitSemaphores = [c"vkWaitSemaphores", c"vkWaitSemaphoresKHR"];
        signal_semaphore: PFN_vkSignalSemaphore = [c"vkSignalSemaphore", c"vkSignalSemaphoreKHR"];
        create_query_pool: PFN_vkCreateQueryPool = [c"vkCreateQueryPool"];
        destroy_query_pool: PFN_vkDestroyQueryPool = [c"vkDestroyQueryPool"];
        query_results: PFN_vkGetQueryPoolResults = [c"vkGetQueryPoolResults"];
        create_command_pool: PFN_vkCreateCommandPool = [c"vkCreateCommandPool"];
        destroy_command_pool: PFN_vkDestroyCommandPool = [c"vkDestroyCommandPool"];
        allocate_command_buffers: PFN_vkAllocateCommandBuffers = [c"vkAllocateCommandBuffers"];
        begin_command_buffer: PFN_vkBeginCommandBuffer = [c"vkBeginCommandBuffer"];
        end_command_buffer: PFN_vkEndCommandBuffer = [c"vkEndCommandBuffer"];
        reset_queries: PFN_vkCmdResetQueryPool = [c"vkCmdResetQueryPool"];
        write_time: PFN_vkCmdWriteTimestamp = [c"vkCmdWriteTimestamp"];
    }
    optional {
        host_reset_queries: PFN_vkResetQueryPool = [c"vkResetQueryPool", c"vkResetQueryPoolEXT"];
        write_time2: PFN_vkCmdWriteTimestamp2 = [c"vkCmdWriteTimestamp2", c"vkCmdWriteTimestamp2KHR"];
        calibrated_times: PFN_vkGetCalibratedTimestampsKHR = [
            c"vkGetCalibratedTimestampsKHR",
            c"vkGetCalibratedTimestampsEXT"
        ];
    }
}
