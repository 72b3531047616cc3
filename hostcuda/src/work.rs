//! What a stream can be given to do.

use crate::block::Block;
use crate::code::Result;
use crate::handle::Handle;
use crate::kernel::Launch;
use crate::stream::Stream;
use crate::transfer::Transfer;
use gevt_core::HostFn;
use std::any::Any;
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
    /// Run a kernel.
    Kernel(Arc<Launch>),
    /// Copy or set memory. The bytes are those that it reads, if they were staged.
    Transfer(Transfer, Vec<u8>),
    /// Free memory that was taken off the list.
    Free(Block),
    /// Let go of what earlier work needs.
    LetGo(Arc<dyn Any + Send + Sync>),
}

impl Work {
    /// Gives the work to a stream that is not being captured.
    pub(crate) fn give(self, stream: &'static Stream) -> Result {
        stream.raw_with_room()?;
        match self {
            // SAFETY: the caller of cuLaunchHostFunc promises a function that may be called so, once for each launch, and that
            // returns.
            Work::Call(function, user) => stream.core().launch_fn(unsafe { HostFn::new(function, user.0) })?,
            work => stream.core().launch(move || work.run())?,
        }
        Ok(())
    }

    fn run(self) {
        match self {
            Work::Call(function, user) => function(user.0),
            Work::CallBack(function, stream, user) => function(stream, 0, user.0),
            Work::Kernel(launch) => launch.run(),
            Work::Transfer(transfer, _staged) => transfer.run(),
            // SAFETY: `memory::free_later` took the block off the list and submitted this once, behind the work that uses it.
            Work::Free(block) => unsafe { block.free() },
            Work::LetGo(kept) => drop(kept),
        }
    }
}
