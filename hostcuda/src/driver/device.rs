//! Devices.

use crate::boundary::{Out, exports};
use crate::code::Code;
use crate::{context, device, stream};
use std::ffi::c_char;

exports! { driver, runtime;
    fn cuDeviceGetCount = cudaGetDeviceCount(count: Out<i32>) { count.set(device::count()) }
    fn cuDeviceGetAttribute = cudaDeviceGetAttribute(value: Out<i32>, attribute: i32, number: i32) {
        value.check()?.set(device::attribute(attribute, number)?)
    }
    fn cuDeviceGetPCIBusId = cudaDeviceGetPCIBusId(text: Out<c_char>, len: i32, number: i32) {
        text.set_text(&device::pci_text(device::check(number)?), len)
    }
    fn cuDeviceCanAccessPeer = cudaDeviceCanAccessPeer(can: Out<i32>, one: i32, other: i32) {
        let differ = device::check(one)? != device::check(other)?;
        can.set(i32::from(differ))
    }
}

exports! { driver, inside;
    fn cuCtxGetStreamPriorityRange = cudaDeviceGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) {
        context::current()?;
        least.offer(stream::PRIORITIES.0);
        greatest.offer(stream::PRIORITIES.1);
        Ok(())
    }
}

exports! { driver;
    fn cuDeviceGet(number: Out<i32>, ordinal: i32) { number.check()?.set(device::check(ordinal)?) }
    fn cuDeviceGetName(name: Out<c_char>, len: i32, number: i32) { name.set_text(&device::name(device::check(number)?), len) }
    /// Only devices of Windows have one. Programs ask as a matter of course, so it is refused without a report.
    fn cuDeviceGetLuid(_luid: Out<c_char>, _mask: Out<u32>, number: i32) {
        device::check(number)?;
        Err(Code::NOT_SUPPORTED)
    }
    fn cuDeviceTotalMem_v2(bytes: Out<usize>, number: i32) {
        device::check(number)?;
        bytes.set(device::total_memory())
    }
    fn cuDeviceGetUuid = cuDeviceGetUuid_v2(to: Out<[u8; 16]>, number: i32) { to.check()?.set(device::uuid(device::check(number)?)) }
}
