//! The log's function.

use crate::error::Result;
use crate::log::{self, Level};
use crate::{lifecycle, process};
use std::ffi::CStr;

/// Sets the function for a process that has set none yet. No call of gevt's is needed before.
pub fn set_first_logger(level: Level, logger: impl Fn(Level, &CStr) + Send + Sync + 'static) {
    log::set(level, Some(Box::new(logger)));
}

/// Sets the function that receives messages of that level and of more important ones.
pub fn set_logger(logger: Option<(Level, impl Fn(Level, &CStr) + Send + Sync + 'static)>) -> Result<()> {
    process::check()?;
    lifecycle::begin()?;
    match logger {
        Some((level, logger)) => log::set(level, Some(Box::new(logger))),
        None => log::set(Level::Error, None),
    }
    Ok(())
}
