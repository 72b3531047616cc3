//! How many threads run functions at once.

use crate::env::NumberVariable;
use crate::error::{Error, Result};
use crate::os::Uncancelled;

/// The greatest number of threads that run functions at once.
const MAX_THREADS: usize = 1024;
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

/// Returns how many threads the argument asks for: 0 is the default.
pub(super) fn checked(number: usize, argument: &'static str) -> Result<usize> {
    match number {
        0 => Ok(default()),
        1..=MAX_THREADS => Ok(number),
        _ => Err(Error::BadArgument(argument)),
    }
}

/// Logs, once, that GEVT_HOST_THREADS cannot be followed. The calling thread holds no lock.
pub(crate) fn check_setting() {
    SETTING.check();
}
