//! Events, streams and contexts: which calls are valid, and their results.

pub(crate) mod batch;
mod callback;
pub(crate) mod context;
mod current;
mod deadline;
mod elapsed;
mod elapsed_n;
pub(crate) mod event;
mod flags;
mod host_time;
mod info;
mod ipc;
mod last_elapsed;
mod launch;
mod logger;
mod losses;
mod query;
mod record;
mod registry;
mod signal;
pub(crate) mod state;
pub(crate) mod stream;
mod sync;
mod threads;
mod wait;
pub(crate) mod word;

pub use deadline::Deadline;
pub use flags::{EventFlags, RecordFlags, StreamFlags, WaitFlags};
pub use info::{ContextInfo, EventInfo, EventState, StreamInfo};
pub use logger::set_logger;
pub(crate) use registry::tell_lost_contexts;
pub use sync::AnyFailure;
pub use threads::{host_threads, set_executor, set_host_threads};

/// A trace has begun: reports the contexts and the names of streams that there are.
pub fn report_all() {
    registry::begin_trace();
    stream::trace_names();
}

#[cfg(test)]
mod state_tests;
