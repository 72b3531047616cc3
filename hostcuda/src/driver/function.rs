//! Kernel properties and settings. A function and a library kernel are the same here.

use crate::boundary::{Out, exports};
use crate::handle::Handle;
use crate::kernel::of_handle;
use crate::runtime::function::{attribute, check_choice, set_attribute};
use std::ffi::{c_char, c_int};

exports! { driver, driver;
    fn cuFuncGetAttribute = cuKernelGetAttribute(to: Out<c_int>, number: c_int, kernel: Handle) {
        to.check()?.set(attribute(of_handle(kernel)?, number)?)
    }
    fn cuFuncSetCacheConfig = cuKernelSetCacheConfig(kernel: Handle, config: c_int) {
        of_handle(kernel)?;
        check_choice(config, 3)
    }
    fn cuFuncGetModule = cuKernelGetLibrary(to: Out<Handle>, kernel: Handle) {
        to.check()?.set(of_handle(kernel)?.module)
    }
    fn cuFuncGetName = cuKernelGetName(to: Out<*const c_char>, kernel: Handle) {
        to.check()?.set(of_handle(kernel)?.name.as_ptr())
    }
}

exports! { driver;
    fn cuFuncSetAttribute(kernel: Handle, number: c_int, value: c_int) {
        set_attribute(of_handle(kernel)?, number, value)
    }
    fn cuFuncSetSharedMemConfig(kernel: Handle, config: c_int) {
        of_handle(kernel)?;
        check_choice(config, 2)
    }
    fn cuFuncIsLoaded(to: Out<c_int>, kernel: Handle) {
        of_handle(kernel)?;
        to.check()?.set(1)
    }
    fn cuFuncLoad(kernel: Handle) {
        of_handle(kernel).map(drop)
    }
    fn cuKernelGetFunction(to: Out<Handle>, kernel: Handle) {
        to.check()?.set(of_handle(kernel)?.handle()?)
    }
    fn cuKernelSetAttribute(number: c_int, value: c_int, kernel: Handle) {
        set_attribute(of_handle(kernel)?, number, value)
    }
}
