//! The log and the trace, begun and ended.

use super::{registry, stream};
use crate::error::Result;
use crate::log::{self, Level};
use crate::process::{self, Uncancelled};
use crate::trace;
use crate::workers::start_thread;
use std::ffi::CStr;
use std::path::Path;

/// Sets the function that takes the log's messages of that level and of the more important ones.
pub fn set_logger(logger: Option<(Level, impl Fn(Level, &CStr) + Send + Sync + 'static)>) -> Result<()> {
    process::check()?;
    process::watch()?;
    match logger {
        Some((level, logger)) => log::set(level, Some(Box::new(logger))),
        None => log::set(Level::Error, None),
    }
    Ok(())
}

/// Begins the trace.
pub fn start_trace(path: &Path) -> Result<()> {
    let _uncancelled = Uncancelled::new();
    process::check()?;
    process::watch()?;
    trace::start(path, |writer| start_thread("gevt-trace", writer))?;
    registry::begin_trace();
    stream::trace_names();
    log::tell(Level::Info, format_args!("the trace goes to {}", path.display()));
    Ok(())
}

/// Ends the trace and waits until it is written.
pub fn stop_trace() -> Result<()> {
    let _uncancelled = Uncancelled::new();
    process::check()?;
    let trace::Written { entries, lost } = trace::stop()?;
    if lost == 0 {
        log::tell(Level::Info, format_args!("the trace is written: {entries} entries"));
    } else {
        log::tell(Level::Warn, format_args!("the trace is written: {entries} entries, and {lost} found no room"));
    }
    Ok(())
}
