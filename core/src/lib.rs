//! The safe core of gevt: handles, the state machine of events, and the backends.
//!
//! A call goes straight down: `table` (handles), `machine` (what is legal and what comes next), `backend` (what runs
//! streams). A module uses only those below it.

mod backend;
mod clock;
mod error;
#[cfg(not(loom))]
pub mod host_api;
pub mod log;
#[cfg(not(loom))]
mod machine;
pub mod native_events;
pub mod process;
mod status;
mod sync;
mod table;
pub mod text;
mod trace;
mod workers;

// For loom only what it tests of the machine is built: where threads meet in an event's word.
#[cfg(loom)]
mod machine {
    #[cfg(test)]
    mod loom_tests;
    pub(crate) mod memory;
    pub(crate) mod state;
}

#[cfg(not(loom))]
pub use backend::{BackendKind, HostFn};
pub use error::{Detail, Error, Result};
#[cfg(not(loom))]
pub use machine::{Deadline, EventInfo, EventState, set_logger, start_trace, stop_trace, tell_lost_contexts};
pub use status::Status;
pub use table::{Context, Event, Handle, Kind, Stream};
