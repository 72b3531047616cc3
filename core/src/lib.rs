//! The safe core of gevt: GPU events that are checked, fast, and run on any machine.
//!
//! An [`Event`] marks a point in a [`Stream`] of asynchronous work. It can be queried, waited for by a thread or by another
//! stream, timed against another event, and shared with another process. A [`Context`] is one device of one backend: a GPU,
//! by CUDA, or the host's own threads, which need no GPU. All three are handles: numbers that may be copied, and that are
//! refused once what they name is gone.
//!
//! ```
//! use gevt_core::{Backend, Context, Event, EventFlags, Stream, StreamFlags};
//! use std::sync::atomic::{AtomicBool, Ordering};
//!
//! static DONE: AtomicBool = AtomicBool::new(false);
//!
//! # fn main() -> gevt_core::Result<()> {
//! let context = Context::open(Backend::HOST, 0)?;
//! let stream = Stream::create(context, StreamFlags::NON_BLOCKING)?;
//! let event = Event::create(EventFlags::DEFAULT)?;
//! stream.launch(|| DONE.store(true, Ordering::Release))?;
//! event.record(stream)?;
//! event.sync()?;
//! assert!(DONE.load(Ordering::Acquire));
//! event.destroy()?;
//! stream.destroy()?;
//! context.close()
//! # }
//! ```
//!
//! A call returns a [`Result`]. [`Error`] says what is wrong in words, [`Error::advice`] what to do about it, and
//! [`Error::status`] is CUDA's number. "Not done yet" is not an error. All calls may be made from any thread.
//!
//! gevt's C functions (`include/gevt.h`) are these calls one by one. Inside the crate a call goes straight down: `machine` (what
//! is legal, and what comes next), [`table`] (handles), `backend` (what runs streams).
//!
//! # For gevt's own crates
//!
//! These modules serve gevt's other crates and may change with every version. [`atomic_ref`], [`table`],
//! [`host_streams`], [`shared_memory`], [`lifecycle`] and [`process`] serve CUDA without a GPU. [`native_events`] serves
//! the drop-in, [`probe`] gevt-trace, [`Failure`] and [`Text`] the C functions.

pub mod atomic_ref;
mod backend;
mod clock;
mod env;
mod error;
#[cfg(not(loom))]
mod failure;
mod flags;
#[cfg(not(loom))]
pub mod host_streams;
mod kind;
#[cfg(not(loom))]
pub mod lifecycle;
pub mod lock;
mod log;
#[cfg(not(loom))]
mod machine;
pub mod native_events;
mod os;
mod pin;
mod point;
pub mod probe;
pub mod process;
pub mod shared_memory;
mod status;
mod sync;
pub mod table;
mod text;
mod thread;
#[cfg(not(loom))]
pub mod vulkan;
mod workers;

// For loom only what it tests of the machine is built: where threads meet in an event's word.
#[cfg(loom)]
mod machine {
    #[cfg(test)]
    mod loom_tests;
    pub(crate) mod state;
    pub(crate) mod word;
}

#[cfg(not(loom))]
pub use backend::{BackendKind as Backend, HostFn, Identity, ItemFn, PciAddress};
pub use error::{Detail, Error, Result};
#[cfg(not(loom))]
pub use failure::Failure;
pub use flags::{EventFlags, RecordFlags, StreamFlags, WaitFlags};
pub use log::{Level, Logger, set as set_first_logger, tell as log};
#[cfg(not(loom))]
pub use machine::{
    AnyFailure, ContextInfo, EventInfo, EventState, StreamInfo, host_threads, report_all, set_executor,
    set_host_threads, set_logger,
};
pub use probe::Inside;
pub use status::Status;
pub use table::{Context, Event, Handle, Kind, Stream};
pub use text::{Name, Text};
#[cfg(not(loom))]
pub use workers::Executor;
