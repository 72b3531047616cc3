//! The program's functions for the log.

use crate::error::Result;
use crate::log::{self, Key, Level, Logger};
use crate::{lifecycle, process};

/// Adds a function that receives messages of that level and of more important ones, changes its level, or removes it.
pub fn set_logger(key: Key, wanted: Option<(Level, Logger)>) -> Result<()> {
    process::check()?;
    lifecycle::begin()?;
    log::set(key, wanted);
    Ok(())
}
