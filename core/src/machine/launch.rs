//! Launches: functions that run in a stream's order.

use super::stream::{self, traced, usable};
use crate::backend::host::Host;
use crate::backend::{HostFn, ItemFn, give_closure};
use crate::error::{Error, Result};
use crate::probe::{self, Call};
use crate::table::Stream;

impl Stream {
    /// Runs a function in the stream's order, on another thread. If it panics, the panic ends there. A function that has not
    /// begun when the process exits does not run.
    pub fn launch(self, function: impl FnOnce() + Send + 'static) -> Result<()> {
        give_closure(function, |function| {
            let launched = self.launch_fn(function);
            (launched.is_ok(), launched)
        })
    }

    /// Runs a C function in the stream's order, on another thread.
    pub fn launch_fn(self, function: HostFn) -> Result<()> {
        let handle = self.0;
        let _traced = probe::slice(move || Call::new("launch on").on(traced(handle)));
        stream::submit(handle, |_| None, |stream| stream.context.backend.launch(&stream.to, function))
    }

    /// Runs a C function for each of `count` items in the stream's order, in parallel, on other threads.
    pub fn launch_items(self, count: usize, function: ItemFn) -> Result<()> {
        let handle = self.0;
        let _traced = probe::slice(move || Call::new("launch items on").on(traced(handle)));
        let stream = usable(handle)?;
        let host = Host::of(&*stream.context.backend).ok_or(Error::Unsupported("only host streams run items"))?;
        host.launch_items(stream.to.native, count, function)
    }
}
