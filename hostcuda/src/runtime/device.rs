//! Devices, and the calling thread's device.

use crate::boundary::{Out, exports, through};
use crate::code::Code;
use crate::{context, device, primary};

exports! { runtime;
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
