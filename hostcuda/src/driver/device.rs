//! Devices, and the calling thread's device.

use crate::boundary::{Out, exports, through};
use crate::code::{Code, Result};
use crate::device::ATTRIBUTES;
use crate::{context, device, primary, stream};
use std::ffi::c_char;

/// The size of cudaDeviceProp in CUDA 12 and 13.
const SIZES: [usize; 2] = [1032, 1008];

/// Writes cudaDeviceProp; `form` is 0 for CUDA 12 and 1 for 13.
fn write(to: Out<u8>, form: usize, number: i32) -> Result {
    to.check()?;
    let mut bytes = [0; SIZES[0]];
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(0, device::name(device::check(number)?).as_bytes());
    put(256, &device::uuid(number));
    put(288, &device::total_memory().to_ne_bytes());
    for attribute in ATTRIBUTES {
        if let Some(at) = attribute.places[form] {
            // Little-endian, like all machines that run CUDA.
            put(at, &(attribute.of(number)? as usize).to_le_bytes()[..attribute.bytes]);
        }
    }
    bytes[..SIZES[form]].iter().enumerate().try_for_each(|(at, byte)| to.at(at).set(*byte))
}

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

exports! { runtime;
    fn cudaGetDeviceProperties(to: Out<u8>, number: i32) { write(to, 1, number) }
    fn cudaGetDeviceProperties_v2(to: Out<u8>, number: i32) { write(to, 0, number) }
    fn cudaSetDevice(number: i32) { primary::use_device(device::check(number)?) }
    fn cudaInitDevice(number: i32, _device_flags: u32, flags: u32) {
        if flags > 1 {
            return Err(Code::INVALID_VALUE);
        }
        primary::of(device::check(number)?).map(drop)
    }
    fn cudaGetDevice(number: Out<i32>) { number.set(primary::device_in_use()) }
    /// Ends the primary context of the thread's device.
    fn cudaDeviceReset = cudaThreadExit() {
        let device = primary::device_in_use();
        through!(cuDevicePrimaryCtxReset_v2(device: i32))
    }
    fn cudaSetDeviceFlags(flags: u32) { primary::set_flags(primary::device_in_use(), flags) }
    fn cudaGetDeviceFlags(flags: Out<u32>) { flags.check()?.set(primary::state(primary::device_in_use())?.0) }
}

exports! { inside;
    fn cudaDeviceEnablePeerAccess(number: i32, flags: u32) {
        let context = context::current()?;
        context.settings.enable_peer(context.device, number, flags)
    }
    fn cudaDeviceDisablePeerAccess(number: i32) { context::current()?.settings.disable_peer(number) }
}
