//! The extensions of a physical device.

use super::loader::Instance;
use ash::vk;
use std::ffi::CStr;

/// Returns the extensions that a physical device offers, none if the driver does not say.
pub(super) fn list(instance: &Instance, physical: vk::PhysicalDevice) -> Vec<vk::ExtensionProperties> {
    let enumerate = instance.functions.extensions;
    let mut count = 0;
    // SAFETY: the device is one of the instance's, and the pointer is valid.
    let code = unsafe { enumerate(physical, std::ptr::null(), &mut count, std::ptr::null_mut()) };
    if code != vk::Result::SUCCESS {
        return Vec::new();
    }
    let mut found = vec![vk::ExtensionProperties::default(); count as usize];
    // SAFETY: as above; the vector has `count` elements.
    let code = unsafe { enumerate(physical, std::ptr::null(), &mut count, found.as_mut_ptr()) };
    let filled = if code == vk::Result::SUCCESS || code == vk::Result::INCOMPLETE { count as usize } else { 0 };
    found.truncate(filled);
    found
}

/// Returns whether one of the extensions has that name.
pub(super) fn has(extensions: &[vk::ExtensionProperties], name: &CStr) -> bool {
    extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name))
}
