//! Events, streams and contexts: what may be done with them, and what comes of it.

mod callback;
mod context;
mod current;
mod elapsed;
mod event;
mod info;
mod ipc;
pub(crate) mod memory;
mod query;
mod record;
mod registry;
pub(crate) mod state;
mod stream;
mod sync;
mod trace;

pub(crate) use callback::on_complete;
pub(crate) use context::{adopt_context, close, device_count, open, sync as sync_context};
pub(crate) use current::{get_current, set_current};
pub(crate) use elapsed::elapsed;
pub(crate) use event::{adopt, create, create_in, destroy, live_events, name_of, native, set_name};
pub(crate) use info::{EventInfo, info};
pub(crate) use ipc::{export, import};
pub(crate) use query::{is_settled, query};
pub(crate) use record::record;
pub(crate) use registry::tell_lost_contexts;
pub(crate) use stream::{adopt_stream, create_stream, destroy_stream, launch, query_stream, sync_stream, wait};
pub(crate) use sync::{Deadline, sync, sync_all, sync_any};
pub(crate) use trace::{set_logger, start_trace, stop_trace};

#[cfg(test)]
mod state_tests;
