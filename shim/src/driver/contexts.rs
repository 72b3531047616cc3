//! What the driver says of its contexts, asked on our own account.

use super::function::{Function, driver};
use super::types::{CUcontext, CUdevice, CUresult, CUstream};
use cuda_abi::STREAM_PER_THREAD;
use std::ptr;

static STREAM_CONTEXT: Function = ours(c"cuStreamGetCtx");
static PUSH: Function = ours(c"cuCtxPushCurrent_v2");
static POP: Function = ours(c"cuCtxPopCurrent_v2");
static GET_DEVICE: Function = ours(c"cuCtxGetDevice");

/// A function that no program gets from this library.
const fn ours(name: &'static std::ffi::CStr) -> Function {
    Function::new(name, ptr::null_mut)
}

/// Returns the context of a stream that is not a default one.
fn context_of(stream: CUstream) -> Option<CUcontext> {
    let mut context = CUcontext(ptr::null_mut());
    // SAFETY: the driver's signature; the stream is the caller's argument, with which the driver is about to be called.
    let code = unsafe { driver!(STREAM_CONTEXT, (stream => CUstream, &raw mut context => *mut CUcontext)) };
    (code == 0).then_some(context)
}

/// Returns the device of the current context, if there is one.
pub(crate) fn current_device() -> Option<CUdevice> {
    let mut device = 0;
    // SAFETY: the driver's signature; the pointer is good.
    let code = unsafe { driver!(GET_DEVICE, (&raw mut device => *mut CUdevice)) };
    (code == 0).then_some(device)
}

/// Returns the device of a stream's context; `None` if the driver does not say.
pub(crate) fn device_of(stream: CUstream) -> Option<CUdevice> {
    if stream.address() <= STREAM_PER_THREAD {
        return current_device();
    }
    let mut context = context_of(stream)?;
    // SAFETY: the driver's signature; the driver gave the context.
    let pushed = unsafe { driver!(PUSH, (context => CUcontext)) };
    if pushed != 0 {
        return None;
    }
    let device = current_device();
    // SAFETY: the driver's signature; the pointer is good.
    unsafe { driver!(POP, (&raw mut context => *mut CUcontext)) };
    device
}

/// Returns whether the driver says that it knows the stream. One that it does not know may crash it.
pub(crate) fn has_stream(stream: CUstream) -> bool {
    context_of(stream).is_some()
}
