//! Devices.

use crate::boundary::{Out, Text, exports};
use crate::{context, device, stream};
use std::ffi::c_char;

exports! { driver, runtime;
    fn cuDeviceGetCount = cudaGetDeviceCount(count: Out<i32>) {
        count.set(device::count())
    }
    fn cuDeviceGetAttribute = cudaDeviceGetAttribute(value: Out<i32>, attribute: i32, number: i32) {
        value.check()?.set(device::attribute(attribute, number)?)
    }
    fn cuDeviceGetPCIBusId = cudaDeviceGetPCIBusId(text: Out<c_char>, len: i32, number: i32) {
        text.set_text(&device::pci_text(device::check(number)?), len)
    }
    fn cuDeviceGetByPCIBusId = cudaDeviceGetByPCIBusId(number: Out<i32>, text: Text) {
        number.check()?.set(device::by_pci(text.get()?)?)
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
