//! What a stream can be given to do.

use crate::block::Block;
use crate::code::Result;
use crate::stream::Stream;
use crate::table::Handle;
use crate::transfer::Transfer;
use gevt_core::host_api::HostFn;
use std::ffi::c_void;
use std::sync::Arc;

/// A host function of the caller's.
pub(crate) type Function = extern "C" fn(*mut c_void);
/// A callback of the caller's: the stream, a code, the argument.
pub(crate) type Callback = extern "C" fn(Handle, i32, *mut c_void);

/// A pointer of the caller's that goes with its work to another thread.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct User(pub(crate) *mut c_void);

// SAFETY: the caller promises that its function may be called with the pointer on another thread.
unsafe impl Send for User {}
// SAFETY: this library only copies the pointer.
unsafe impl Sync for User {}

/// A piece of work.
#[derive(Clone)]
pub(crate) enum Work {
    /// Call a function.
    Call(Function, User),
    /// Call a function that is passed its stream.
    CallBack(Callback, Handle, User),
    /// Copy or set memory.
    Transfer(Transfer),
    /// Free memory that was taken off the list.
    Free(Block),
    /// Something else of this library's.
    Run(Arc<dyn Fn() + Send + Sync>),
}

impl Work {
    /// Gives the work to a stream that is not being captured.
    pub(crate) fn give(self, stream: &'static Stream) -> Result {
        // SAFETY: the caller's promise, or the box that is made below.
        let host_fn = |function, user| unsafe { HostFn::new(function, user) };
        let launch = |function, user| Ok(stream.context()?.host.launch(stream.host()?, host_fn(function, user))?);
        if let Work::Call(function, user) = self {
            return launch(function, user.0);
        }
        let work = Box::into_raw(Box::new(self));
        launch(run, work.cast()).inspect_err(|_| {
            // SAFETY: the box was just made, and a launch that fails has not taken it.
            drop(unsafe { Box::from_raw(work) });
        })
    }

    fn run(self) {
        match self {
            Work::Call(function, user) => function(user.0),
            Work::CallBack(function, stream, user) => function(stream, 0, user.0),
            Work::Transfer(transfer) => transfer.run(),
            Work::Free(block) => block.free(),
            Work::Run(function) => function(),
        }
    }
}

extern "C" fn run(work: *mut c_void) {
    // SAFETY: `give` made the box for this one call.
    let work = unsafe { Box::from_raw(work.cast::<Work>()) };
    // A panic must not end the worker, and there is no caller that an error could be returned to.
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work.run()));
}
