//! Devices.

use crate::boundary::{Out, exports};
use crate::code::{Code, Result};
use crate::device;
use std::ffi::{CStr, c_char};

/// Writes a text, cut off where the place ends.
pub(crate) fn write_text(text: &str, to: Out<c_char>, len: i32) -> Result {
    let len = usize::try_from(len).ok().filter(|len| *len > 0).ok_or(Code::INVALID_VALUE)?;
    let shown = text.len().min(len - 1);
    let to = to.check()?.pointer();
    // SAFETY: the caller promises `len` bytes, and the text with its end is no longer.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), to, shown);
        to.add(shown).write(0);
    }
    Ok(())
}

/// The PCI address in words.
pub(crate) fn pci_text(number: i32) -> Result<String> {
    let [domain, bus, slot] = device::pci(device::check(number)?);
    Ok(format!("{domain:04x}:{bus:02x}:{slot:02x}.0"))
}

/// The device of a PCI address.
pub(crate) fn by_pci(text: *const c_char) -> Result<i32> {
    if text.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: the caller promises a C string.
    let text = unsafe { CStr::from_ptr(text) }.to_str().unwrap_or_default().to_lowercase();
    let is_it = |number: &i32| pci_text(*number).is_ok_and(|own| own.ends_with(&text) || own == format!("{text}.0"));
    (0..device::count()).find(is_it).filter(|_| text.len() >= 5).ok_or(Code::INVALID_VALUE)
}

fn uuid(to: Out<[u8; 16]>, number: i32) -> Result {
    to.check()?.set(device::uuid(device::check(number)?))
}

fn peer(can: Out<i32>, one: i32, other: i32) -> Result {
    device::check(one)?;
    device::check(other)?;
    can.set(i32::from(one != other))
}

exports! { driver;
    fn cuDeviceGet(number: Out<i32>, ordinal: i32) {
        number.check()?.set(device::check(ordinal)?)
    }
    fn cuDeviceGetCount(count: Out<i32>) {
        count.set(device::count())
    }
    fn cuDeviceGetName(name: Out<c_char>, len: i32, number: i32) {
        write_text(&device::name(device::check(number)?), name, len)
    }
    fn cuDeviceGetUuid(to: Out<[u8; 16]>, number: i32) {
        uuid(to, number)
    }
    fn cuDeviceGetUuid_v2(to: Out<[u8; 16]>, number: i32) {
        uuid(to, number)
    }
    fn cuDeviceGetAttribute(value: Out<i32>, attribute: i32, number: i32) {
        value.check()?.set(device::attribute(attribute, number)?)
    }
    fn cuDeviceTotalMem_v2(bytes: Out<usize>, number: i32) {
        device::check(number)?;
        bytes.set(device::memory().0)
    }
    fn cuDeviceTotalMem(bytes: Out<u32>, number: i32) {
        device::check(number)?;
        bytes.set(u32::try_from(device::memory().0).unwrap_or(u32::MAX))
    }
    fn cuDeviceComputeCapability(major: Out<i32>, minor: Out<i32>, number: i32) {
        device::check(number)?;
        major.check()?;
        minor.set(device::CAPABILITY.1)?;
        major.set(device::CAPABILITY.0)
    }
    fn cuDeviceGetPCIBusId(text: Out<c_char>, len: i32, number: i32) {
        write_text(&pci_text(number)?, text, len)
    }
    fn cuDeviceGetByPCIBusId(number: Out<i32>, text: *const c_char) {
        number.check()?.set(by_pci(text)?)
    }
    fn cuDeviceCanAccessPeer(can: Out<i32>, one: i32, other: i32) {
        peer(can, one, other)
    }
}
