//! The identity of a CUDA device.

use super::native::NativeContext;
use crate::backend::identity::{Identity, PciAddress, name_of};
use std::ffi::{c_char, c_int};

/// CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, _PCI_DEVICE_ID and _PCI_DOMAIN_ID.
const PCI_BUS: c_int = 33;
const PCI_DEVICE: c_int = 34;
const PCI_DOMAIN: c_int = 50;

impl NativeContext {
    /// Asks the driver, which needs no context for it.
    pub(super) fn identity(&self) -> Identity {
        Identity { name: self.name(), uuid: self.uuid(), luid: self.luid(), pci: self.pci() }
    }

    fn name(&self) -> String {
        let Some(ask) = self.driver.device_name else { return String::new() };
        let mut bytes = [0_u8; 256];
        // SAFETY: the array has the length that is given.
        let code = unsafe { ask(bytes.as_mut_ptr().cast::<c_char>(), bytes.len() as c_int, self.device) };
        if code == 0 { name_of(&bytes) } else { String::new() }
    }

    fn uuid(&self) -> Option<[u8; 16]> {
        let ask = self.driver.device_uuid?;
        let mut uuid = [0; 16];
        // SAFETY: a CUuuid is 16 bytes, and the pointer is valid.
        (unsafe { ask(&mut uuid, self.device) } == 0).then_some(uuid)
    }

    fn luid(&self) -> Option<([u8; 8], u32)> {
        let (mut luid, mut mask) = ([0; 8], 0);
        // SAFETY: a LUID is 8 bytes, and the pointers are valid.
        let code = unsafe { (self.driver.device_luid?)(luid.as_mut_ptr().cast::<c_char>(), &mut mask, self.device) };
        (code == 0).then_some((luid, mask))
    }

    fn pci(&self) -> Option<PciAddress> {
        let get = self.driver.device_attribute?;
        let ask = |attribute| {
            let mut value: c_int = 0;
            // SAFETY: the pointer is valid.
            let code = unsafe { get(&mut value, attribute, self.device) };
            (code == 0).then_some(value as u32)
        };
        // CUDA has one function of each device.
        Some(PciAddress { domain: ask(PCI_DOMAIN)?, bus: ask(PCI_BUS)?, device: ask(PCI_DEVICE)?, function: 0 })
    }
}
