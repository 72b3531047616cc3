//! The identity of a physical device.

use super::loader::{Instance, has_extension};
use crate::backend::identity::{Identity, PciAddress, name_of};
use ash::vk;

/// Asks the driver.
pub(super) fn identity(instance: &Instance, physical: vk::PhysicalDevice) -> Identity {
    let with_pci = has_extension(&instance.extensions(physical), vk::EXT_PCI_BUS_INFO_NAME);
    let mut pci = vk::PhysicalDevicePCIBusInfoPropertiesEXT::default();
    let mut ids = vk::PhysicalDeviceIDProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut ids);
    if with_pci {
        properties = properties.push_next(&mut pci);
    }
    // SAFETY: the device is one of the instance's, and the structures of the chain are what the device offers.
    unsafe { (instance.functions.properties2)(physical, &mut properties) };
    let name = name_of(&properties.properties.device_name.map(|byte| byte as u8));
    let address =
        PciAddress { domain: pci.pci_domain, bus: pci.pci_bus, device: pci.pci_device, function: pci.pci_function };
    Identity {
        name,
        uuid: Some(ids.device_uuid),
        luid: (ids.device_luid_valid == vk::TRUE).then_some((ids.device_luid, ids.device_node_mask)),
        pci: with_pci.then_some(address),
    }
}
