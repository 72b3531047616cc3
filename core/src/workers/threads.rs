//! How many threads run functions at once.

use super::pool;
use crate::error::{Error, Result};
use crate::log::{self, Level};
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};

/// The greatest number of threads that run functions at once.
pub(crate) const MAX_THREADS: usize = 1024;
const NAME: &str = "GEVT_HOST_THREADS";

/// Returns what GEVT_HOST_THREADS says, else the number of cores that the process may use; and the variable's value, if that
/// is not a number in the range.
fn wanted() -> (usize, Option<OsString>) {
    let value = std::env::var_os(NAME);
    let number = value.as_ref().and_then(|value| value.to_str()?.parse::<usize>().ok());
    match number.filter(|number| (1..=MAX_THREADS).contains(number)) {
        Some(number) => (number, None),
        None => (cores(), value),
    }
}

/// Returns the number of cores that the process may use: those of its affinity, and no more than its cgroup's quota.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get()).min(MAX_THREADS)
}

/// Returns the number where the program sets none.
pub(super) fn default() -> usize {
    wanted().0
}

/// Returns how many threads run functions at once.
pub(crate) fn threads() -> usize {
    pool::get().limit()
}

/// Sets how many threads run functions at once, from now on; 0 for the default.
pub(crate) fn set_threads(number: usize) -> Result<()> {
    if number > MAX_THREADS {
        return Err(Error::BadArgument("n"));
    }
    pool::get().set_limit(if number == 0 { default() } else { number });
    Ok(())
}

/// Logs, once, that GEVT_HOST_THREADS cannot be followed. The calling thread holds no lock.
pub(crate) fn check_setting() {
    static CHECKED: AtomicBool = AtomicBool::new(false);
    if CHECKED.load(Ordering::Relaxed) || CHECKED.swap(true, Ordering::Relaxed) {
        return;
    }
    if let (count, Some(value)) = wanted() {
        log::tell(
            Level::Warn,
            format_args!("{NAME} is {value:?}, and not a number from 1 to {MAX_THREADS}: {count} is used"),
        );
    }
}
