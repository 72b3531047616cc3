//! The kinds of work that a stream runs.

use crate::block::Block;
use crate::code::Result;
use crate::handle::Handle;
use crate::kernel::Launch;
use crate::poller;
use crate::stream::Stream;
use crate::transfer::Transfer;
use crate::word::{DeviceWord, WordWait};
use gevt_core::HostFn;
use std::any::Any;
use std::ffi::c_void;
use std::sync::Arc;

/// A host function of a program.
pub(crate) type Function = extern "C" fn(*mut c_void);
/// A stream callback of a program: the stream, a code, the argument.
pub(crate) type Callback = extern "C" fn(Handle, i32, *mut c_void);

/// A pointer that the program passes to its own function on another thread.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct User(pub(crate) *mut c_void);

// SAFETY: the caller promises that its function may be called with the pointer on another thread.
unsafe impl Send for User {}
// SAFETY: this library only copies the pointer.
unsafe impl Sync for User {}

#[derive(Clone)]
pub(crate) enum Work {
    /// Call a host function.
    Call(Function, User),
    /// Call a stream callback.
    CallBack(Callback, Handle, User),
    Kernel(Arc<Launch>),
    /// Copy or set memory. The bytes are the staged source, if it was staged.
    Transfer(Transfer, Vec<u8>),
    /// Wait for a word of memory.
    WaitFor(WordWait),
    /// Write a word of memory.
    Write(DeviceWord, u64),
    /// Free memory that is off the list.
    Free(Block),
    /// Drop an object that earlier work needs.
    LetGo(Arc<dyn Any + Send + Sync>),
}

impl Work {
    /// Submits the work to a stream that is not being captured.
    pub(crate) fn give(self, stream: &'static Stream) -> Result {
        let core = stream.core();
        match self {
            // SAFETY: the caller of cuLaunchHostFunc promises that the function may be called this way, once for each launch, and that it
            // returns.
            Work::Call(function, user) => core.launch_fn(unsafe { HostFn::new(function, user.0) })?,
            Work::WaitFor(wait) => poller::give(stream.context()?.core, core, wait)?,
            work => core.launch(move || work.run())?,
        }
        Ok(())
    }

    fn run(self) {
        match self {
            Work::Call(function, user) => function(user.0),
            Work::CallBack(function, stream, user) => function(stream, 0, user.0),
            Work::Kernel(launch) => launch.run(),
            Work::Transfer(transfer, _staged) => transfer.run(),
            // Given to the poller.
            Work::WaitFor(_) => {}
            Work::Write(word, value) => {
                word.store(value);
                poller::look_now();
            }
            // SAFETY: `memory::free_later` removed the block from the list and submitted this work once, after the work that uses the
            // block.
            Work::Free(block) => unsafe { block.free() },
            Work::LetGo(kept) => drop(kept),
        }
    }
}
