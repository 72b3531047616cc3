//! What is known of kernels, and their settings. A function and a kernel of a library are the same here.

use crate::boundary::{Out, exports};
use crate::code::Code;
use crate::handle::Handle;
use crate::kernel::of_handle;
use crate::runtime::function::{attribute, parameter, set_attribute};
use std::ffi::{c_char, c_int};

exports! { driver;
    fn cuFuncGetAttribute(to: Out<c_int>, number: c_int, kernel: Handle) {
        to.check()?.set(attribute(of_handle(kernel)?, number)?)
    }
    fn cuFuncSetAttribute(kernel: Handle, number: c_int, value: c_int) {
        set_attribute(of_handle(kernel)?, number, value)
    }
    fn cuFuncSetCacheConfig(kernel: Handle, config: c_int) {
        of_handle(kernel)?;
        if (0..=3).contains(&config) { Ok(()) } else { Err(Code::INVALID_VALUE) }
    }
    fn cuFuncSetSharedMemConfig(kernel: Handle, config: c_int) {
        of_handle(kernel)?;
        if (0..=2).contains(&config) { Ok(()) } else { Err(Code::INVALID_VALUE) }
    }
    fn cuFuncGetModule(to: Out<Handle>, kernel: Handle) {
        to.check()?.set(of_handle(kernel)?.module)
    }
    fn cuFuncGetName(to: Out<*const c_char>, kernel: Handle) {
        to.check()?.set(of_handle(kernel)?.name.as_ptr())
    }
    fn cuFuncIsLoaded(to: Out<c_int>, kernel: Handle) {
        of_handle(kernel)?;
        to.check()?.set(1)
    }
    fn cuFuncLoad(kernel: Handle) {
        of_handle(kernel).map(drop)
    }
    fn cuFuncGetParamCount(kernel: Handle, to: Out<usize>) {
        to.check()?.set(of_handle(kernel)?.host().ok_or(Code::NOT_SUPPORTED)?.sizes.len())
    }
    fn cuFuncGetParamInfo(kernel: Handle, index: usize, offset: Out<usize>, size: Out<usize>) {
        let (start, len) = parameter(of_handle(kernel)?, index)?;
        offset.check()?.set(start)?;
        size.offer(len);
        Ok(())
    }
    fn cuKernelGetFunction(to: Out<Handle>, kernel: Handle) {
        to.check()?.set(of_handle(kernel)?.handle()?)
    }
    fn cuKernelGetLibrary(to: Out<Handle>, kernel: Handle) {
        to.check()?.set(of_handle(kernel)?.module)
    }
    fn cuKernelGetName(to: Out<*const c_char>, kernel: Handle) {
        to.check()?.set(of_handle(kernel)?.name.as_ptr())
    }
    fn cuKernelGetParamCount(kernel: Handle, to: Out<usize>) {
        to.check()?.set(of_handle(kernel)?.host().ok_or(Code::NOT_SUPPORTED)?.sizes.len())
    }
    fn cuKernelGetParamInfo(kernel: Handle, index: usize, offset: Out<usize>, size: Out<usize>) {
        let (start, len) = parameter(of_handle(kernel)?, index)?;
        offset.check()?.set(start)?;
        size.offer(len);
        Ok(())
    }
    fn cuKernelGetAttribute(to: Out<c_int>, number: c_int, kernel: Handle) {
        to.check()?.set(attribute(of_handle(kernel)?, number)?)
    }
    fn cuKernelSetAttribute(number: c_int, value: c_int, kernel: Handle) {
        set_attribute(of_handle(kernel)?, number, value)
    }
    fn cuKernelSetCacheConfig(kernel: Handle, config: c_int) {
        of_handle(kernel)?;
        if (0..=3).contains(&config) { Ok(()) } else { Err(Code::INVALID_VALUE) }
    }
}
