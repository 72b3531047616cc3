//! Events, streams and contexts: which calls are valid, and their results.

mod backend_context;
pub(crate) mod batch;
mod callback;
pub(crate) mod context;
mod create;
mod current;
mod elapsed;
mod elapsed_n;
pub(crate) mod event;
mod host_time;
mod in_use;
mod info;
mod ipc;
mod last_elapsed;
mod launch;
mod losses;
mod names;
mod open;
mod providers;
mod query;
mod record;
mod registry;
mod settings;
mod signal;
pub(crate) mod state;
pub(crate) mod stream;
mod sync;
mod wait;
pub(crate) mod word;

pub(crate) use in_use::tell_lost_contexts;
pub use info::{ContextInfo, EventInfo, EventState, StreamInfo};
pub use settings::{host_threads, set_executor, set_host_threads, set_logger};
pub use sync::AnyFailure;

/// A trace has begun: reports the contexts and the names of streams that there are.
pub fn report_all() {
    in_use::begin_trace();
    stream::trace_names();
}

#[cfg(test)]
mod state_tests;
