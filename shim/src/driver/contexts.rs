//! What the driver says of its contexts, asked on our own account.

use super::function::{Function, Role, driver};
use super::types::{CUcontext, CUdevice, CUresult, CUstream};
use cuda_abi::STREAM_PER_THREAD;
use std::ptr;

static GET_STATE: Function = ours(c"cuDevicePrimaryCtxGetState");
static GET_CURRENT: Function = ours(c"cuCtxGetCurrent");
static GET_ID: Function = ours(c"cuCtxGetId");
static STREAM_CONTEXT: Function = ours(c"cuStreamGetCtx");
static STREAM_ID: Function = ours(c"cuStreamGetId");
static PUSH: Function = ours(c"cuCtxPushCurrent_v2");
static POP: Function = ours(c"cuCtxPopCurrent_v2");
static GET_DEVICE: Function = ours(c"cuCtxGetDevice");

/// A function that no program gets from this library.
const fn ours(name: &'static std::ffi::CStr) -> Function {
    Function::new(name, (Role::Watched, ""), ptr::null_mut)
}

/// A context, and the driver's number for it, which is not given twice; 0 if the driver numbers none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct ContextId {
    /// The CUcontext's address.
    context: usize,
    id: u64,
}

impl ContextId {
    /// Returns the context that the stream belongs to. A default stream belongs to the one that is current.
    pub(crate) fn of(stream: CUstream) -> Option<ContextId> {
        let context = context_of(stream)?.address();
        Some(ContextId { context, id: id(context).unwrap_or(0) })
    }

    /// Returns whether the driver says that the context still exists.
    pub(crate) fn exists(self) -> bool {
        self.id != 0 && id(self.context) == Some(self.id)
    }
}

fn context_of(stream: CUstream) -> Option<CUcontext> {
    let mut context = CUcontext(ptr::null_mut());
    let code = if stream.address() <= STREAM_PER_THREAD {
        // SAFETY: the driver's signature; the pointer is good.
        unsafe { driver!(GET_CURRENT, (&raw mut context => *mut CUcontext)) }
    } else {
        // SAFETY: as above; the stream is the caller's argument, with which the driver is about to be called.
        unsafe { driver!(STREAM_CONTEXT, (stream => CUstream, &raw mut context => *mut CUcontext)) }
    };
    (code == 0).then_some(context)
}

/// Returns the device of the current context, if there is one.
pub(crate) fn current_device() -> Option<CUdevice> {
    let mut device = 0;
    // SAFETY: the driver's signature; the pointer is good.
    let code = unsafe { driver!(GET_DEVICE, (&raw mut device => *mut CUdevice)) };
    (code == 0).then_some(device)
}

/// Returns the device of the stream's context; `None` if the driver does not say.
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

/// Returns whether the driver knows the stream; `None` if it cannot be asked. One that it does not know may crash it.
pub(crate) fn has_stream(stream: CUstream) -> Option<bool> {
    let mut id = 0;
    if STREAM_ID.loaded().is_none() {
        STREAM_CONTEXT.loaded()?;
        return Some(context_of(stream).is_some());
    }
    // SAFETY: the driver's signature; the pointer is good, and the stream is the caller's argument.
    Some(unsafe { driver!(STREAM_ID, (stream => CUstream, &raw mut id => *mut u64)) } == 0)
}

/// Returns the driver's number for the context. It knows which contexts exist, and does not follow the pointer of another.
fn id(context: usize) -> Option<u64> {
    let mut id = 0;
    // SAFETY: the driver's signature; it takes pointers of contexts that have ended.
    let code = unsafe { driver!(GET_ID, (context => usize, &raw mut id => *mut u64)) };
    (code == 0).then_some(id)
}

/// Returns whether the device's primary context exists; `None` if the driver does not say.
pub(crate) fn primary_exists(device: CUdevice) -> Option<bool> {
    let (mut flags, mut active) = (0, 0);
    // SAFETY: the driver's signature; the pointers are good.
    let code =
        unsafe { driver!(GET_STATE, (device => CUdevice, &raw mut flags => *mut u32, &raw mut active => *mut i32)) };
    (code == 0).then_some(active != 0)
}
