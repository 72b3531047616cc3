//! Devices.

use crate::boundary::{Out, exports};
use crate::code::Result;
use crate::device;
use std::ffi::c_char;

fn uuid(to: Out<[u8; 16]>, number: i32) -> Result {
    to.check()?.set(device::uuid(device::check(number)?))
}

exports! { driver;
    fn cuDeviceGet(number: Out<i32>, ordinal: i32) {
        number.check()?.set(device::check(ordinal)?)
    }
    fn cuDeviceGetName(name: Out<c_char>, len: i32, number: i32) {
        name.set_text(&device::name(device::check(number)?), len)
    }
    fn cuDeviceGetUuid(to: Out<[u8; 16]>, number: i32) {
        uuid(to, number)
    }
    fn cuDeviceGetUuid_v2(to: Out<[u8; 16]>, number: i32) {
        uuid(to, number)
    }
    fn cuDeviceTotalMem_v2(bytes: Out<usize>, number: i32) {
        device::check(number)?;
        bytes.set(device::total_memory())
    }
    fn cuDeviceTotalMem(bytes: Out<u32>, number: i32) {
        device::check(number)?;
        bytes.set(u32::try_from(device::total_memory()).unwrap_or(u32::MAX))
    }
    fn cuDeviceComputeCapability(major: Out<i32>, minor: Out<i32>, number: i32) {
        device::check(number)?;
        major.check()?;
        minor.set(device::CAPABILITY.1)?;
        major.set(device::CAPABILITY.0)
    }
}
