//! The program's settings: functions for the log, and the threads that run the program's functions.

use crate::error::Result;
use crate::log::{self, Key, Level, Logger};
use crate::workers::{self, Executor};
use crate::{lifecycle, process};

/// Adds a function that receives messages of that level and of more important ones, changes its level, or removes it.
pub fn set_logger(key: Key, wanted: Option<(Level, Logger)>) -> Result<()> {
    process::check()?;
    lifecycle::begin()?;
    log::set(key, wanted);
    Ok(())
}

/// Returns how many functions of streams, and callbacks, run at once on gevt's threads.
pub fn host_threads() -> Result<u32> {
    process::check()?;
    workers::check_setting();
    Ok(workers::threads() as u32)
}

/// Has the program's executor run the functions of host streams and the callbacks, in place of gevt's threads.
pub fn set_executor(executor: Executor) -> Result<()> {
    process::check()?;
    workers::check_setting();
    workers::set_executor(executor)
}

/// Sets how many functions run at once, from now on; 0 restores the default.
pub fn set_host_threads(number: u32) -> Result<()> {
    process::check()?;
    workers::check_setting();
    workers::set_threads(number as usize)
}
