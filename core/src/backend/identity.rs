//! A device's identity: equal in every API for the same physical device.

/// The identity of a device. A part that the backend cannot tell is `None`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Identity {
    /// The driver's name for the device, in UTF-8.
    pub name: String,
    /// The UUID of the device, which CUDA and Vulkan agree on.
    pub uuid: Option<[u8; 16]>,
    /// The locally unique identifier, which only Windows has, and the device's bit in its node mask.
    pub luid: Option<([u8; 8], u32)>,
    /// The place on the PCI bus.
    pub pci: Option<PciAddress>,
}

/// A place on the PCI bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PciAddress {
    /// The domain.
    pub domain: u32,
    /// The bus.
    pub bus: u32,
    /// The device on the bus.
    pub device: u32,
    /// The function of the device.
    pub function: u32,
}

/// Makes a name of a driver's bytes, which end at the first NUL or at the end of the array.
#[cfg(not(loom))]
pub(crate) fn name_of(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
