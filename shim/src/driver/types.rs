//! The driver's types, as far as its functions that are taken over need them.
//!
//! A type that is behind a pointer and looked into stands with the function that looks.

use std::ffi::c_void;

/// CUDA's status; any number, as a newer driver may have more.
pub(crate) type Code = i32;

/// A device's number.
pub(crate) type Device = i32;

macro_rules! handles {
    ($($(#[$comment:meta])* $name:ident)*) => { $(
        $(#[$comment])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name(pub(crate) *mut c_void);
    )* };
}

handles! {
    /// CUevent
    Event
    /// CUstream
    Stream
    /// CUcontext
    Context
    /// CUgreenCtx
    GreenContext
    /// CUgraph
    Graph
    /// CUgraphNode
    Node
    /// CUgraphExec
    Executable
    /// CUfunction
    Function
}

/// CUipcEventHandle, which is passed by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct IpcEvent(pub(crate) [u8; 64]);
