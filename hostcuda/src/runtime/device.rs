//! Devices, and which one the calling thread uses.

use super::door;
use crate::boundary::{Out, exports};
use crate::code::Code;
use crate::driver::device::{by_pci, pci_text, write_text};
use crate::{context, device, stream};
use std::ffi::c_char;

exports! { runtime;
    fn cudaGetDeviceCount(count: Out<i32>) {
        count.set(device::count())
    }
    fn cudaSetDevice(number: i32) {
        context::use_device(device::check(number)?)
    }
    fn cudaInitDevice(number: i32, _device_flags: u32, flags: u32) {
        if flags > 1 {
            return Err(Code::INVALID_VALUE);
        }
        context::primary_of(device::check(number)?).map(drop)
    }
    fn cudaGetDevice(number: Out<i32>) {
        number.set(context::device_in_use())
    }
    fn cudaChooseDevice(number: Out<i32>, _wanted: *const u8) {
        number.set(0)
    }
    fn cudaSetValidDevices(numbers: Out<i32>, count: i32) {
        (0..count.max(0) as usize).try_for_each(|at| device::check(numbers.at(at).get()?).map(drop))
    }
    fn cudaDeviceGetAttribute(value: Out<i32>, attribute: i32, number: i32) {
        value.check()?.set(device::attribute(attribute, number)?)
    }
    fn cudaDeviceGetPCIBusId(text: Out<c_char>, len: i32, number: i32) {
        write_text(&pci_text(number)?, text, len)
    }
    fn cudaDeviceGetByPCIBusId(number: Out<i32>, text: *const c_char) {
        number.check()?.set(by_pci(text)?)
    }
    fn cudaDeviceCanAccessPeer(can: Out<i32>, one: i32, other: i32) {
        let differ = device::check(one)? != device::check(other)?;
        can.set(i32::from(differ))
    }
    fn cudaDeviceReset() {
        door::primary_reset(context::device_in_use())
    }
    fn cudaThreadExit() {
        door::primary_reset(context::device_in_use())
    }
    fn cudaSetDeviceFlags(flags: u32) {
        context::set_flags(context::device_in_use(), flags)
    }
    fn cudaGetDeviceFlags(flags: Out<u32>) {
        flags.check()?.set(context::state(context::device_in_use())?.0)
    }
}

exports! { inside;
    fn cudaDeviceSynchronize() {
        door::context_synchronize()
    }
    fn cudaThreadSynchronize() {
        door::context_synchronize()
    }
    fn cudaDeviceGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) {
        least.offer(stream::PRIORITIES.0);
        greatest.offer(stream::PRIORITIES.1);
        Ok(())
    }
    /// All memory is the machine's own, which every device reaches.
    fn cudaDeviceEnablePeerAccess(number: i32, flags: u32) {
        if flags != 0 { Err(Code::INVALID_VALUE) } else { device::check(number).map(drop) }
    }
    fn cudaDeviceDisablePeerAccess(number: i32) {
        device::check(number).map(drop)
    }
}
