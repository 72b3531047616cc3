//! How many threads run functions at once.

use super::pool;
use crate::env::NumberVariable;
use crate::error::{Error, Result};
use crate::os::Uncancelled;

/// The greatest number of threads that run functions at once.
pub(crate) const MAX_THREADS: usize = 1024;
static SETTING: NumberVariable = NumberVariable::new("GEVT_HOST_THREADS", MAX_THREADS, |_| cores());

/// Returns the number of cores that the process may use: those of its affinity, and no more than its cgroup's quota. A part of a core in
/// the quota does not count, but for the first: as many functions as whole cores run without being throttled.
fn cores() -> usize {
    let _uncancelled = Uncancelled::new();
    std::thread::available_parallelism().map_or(1, |cores| cores.get()).min(MAX_THREADS)
}

/// Returns the number where the program sets none.
pub(super) fn default() -> usize {
    SETTING.get()
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
    SETTING.check();
}
