//! What the driver says of its contexts, asked on our own account.

use super::function::{Function, Role, driver};
use super::types::{CUcontext, CUdevice, CUresult, CUstream};
use std::ptr;

static GET_STATE: Function = ours(c"cuDevicePrimaryCtxGetState");
static GET_CURRENT: Function = ours(c"cuCtxGetCurrent");
static GET_ID: Function = ours(c"cuCtxGetId");
static STREAM_CONTEXT: Function = ours(c"cuStreamGetCtx");
static PUSH: Function = ours(c"cuCtxPushCurrent_v2");
static POP: Function = ours(c"cuCtxPopCurrent_v2");
static GET_DEVICE: Function = ours(c"cuCtxGetDevice");

/// A function that no program gets from this library.
pub(super) const fn ours(name: &'static std::ffi::CStr) -> Function {
    Function::new(name, 0, (Role::Noted, ""), 0, ptr::null_mut)
}

/// The default streams are numbers up to this one.
const LAST_NUMBER: usize = 2;

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
        let mut context = CUcontext(ptr::null_mut());
        let code = if stream.address() <= LAST_NUMBER {
            // SAFETY: the driver's signature; the pointer is good.
            unsafe { driver!(GET_CURRENT, (&raw mut context => *mut CUcontext)) }
        } else {
            // SAFETY: as above; the stream is the caller's argument, with which the driver is about to be called.
            unsafe { driver!(STREAM_CONTEXT, (stream => CUstream, &raw mut context => *mut CUcontext)) }
        };
        (code == 0).then(|| ContextId { context: context.address(), id: id(context.address()).unwrap_or(0) })
    }

    /// Returns the context that is current, if one is.
    pub(crate) fn current() -> Option<ContextId> {
        ContextId::of(CUstream(ptr::null_mut())).filter(|current| current.context != 0)
    }

    /// Returns the context's device; `None` if the context is known to have ended, or the driver does not say.
    pub(crate) fn device(self) -> Option<CUdevice> {
        if self.id != 0 && !self.exists() {
            return None;
        }
        let mut device = 0;
        // SAFETY: the driver's signature; the pointer is good.
        let get = || unsafe { driver!(GET_DEVICE, (&raw mut device => *mut CUdevice)) };
        (self.within(get) == 0).then_some(device)
    }

    /// Calls `run`, which must not panic, while the context is current on this thread. The answer is the first code that is not
    /// 0.
    pub(super) fn within(self, run: impl FnOnce() -> CUresult) -> CUresult {
        // SAFETY: the driver's signature; the driver gave the context.
        let code = unsafe { driver!(PUSH, (self.context => usize)) };
        if code != 0 {
            return code;
        }
        let code = run();
        let mut popped = CUcontext(ptr::null_mut());
        // SAFETY: the driver's signature; the pointer is good.
        let after = unsafe { driver!(POP, (&raw mut popped => *mut CUcontext)) };
        if code == 0 { after } else { code }
    }

    /// Returns whether the context still exists, as far as the driver says.
    pub(crate) fn exists(self) -> bool {
        self.id != 0 && id(self.context) == Some(self.id)
    }
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
