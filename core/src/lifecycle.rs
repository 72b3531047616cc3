//! The first use of gevt, fork and exit.

use crate::error::{Error, Result};
use crate::process::{self, EXITING, FORKED, set_flag};
use crate::{os, probe, workers};
use once_cell::sync::OnceCell;
use std::sync::atomic::{AtomicU64, Ordering};

pub use crate::workers::start_thread;

extern "C" fn in_child() {
    set_flag(FORKED);
}

extern "C" fn at_exit() {
    // The handler is registered more than once. A child of a fork has no threads that could be woken, and no process on
    // Windows has when its handler runs.
    let is_first = !process::is_over();
    set_flag(EXITING);
    if is_first {
        workers::wake_all();
        process::run_before_exit();
        probe::get().inspect(|probe| probe.end());
    }
}

/// Registers the fork and exit handlers and begins the probe, once. Exit handlers run in reverse order. Objects that the program created before
/// its first use of gevt are destroyed after gevt has ended, and their destroy calls succeed and touch nothing.
pub fn begin() -> Result<()> {
    static BEGUN: OnceCell<()> = OnceCell::new();
    let register = || {
        if !os::on_fork(in_child) {
            return Err(Error::OutOfMemory);
        }
        watch_exit()?;
        process::begin(probe::get().is_some_and(|probe| probe.wants_order()));
        probe::get().inspect(|probe| probe.begin());
        Ok(())
    };
    BEGUN.get_or_try_init(register).copied()
}

/// A kind of call at which a library may register an exit handler, if it is the first such call since the library was loaded.
pub(crate) struct FirstCall(AtomicU64);

impl FirstCall {
    pub(crate) const fn new() -> FirstCall {
        FirstCall(AtomicU64::new(u64::MAX))
    }

    /// Like [`watch_exit`], after the call, unless no library was loaded since the last time: the system keeps each registration for good.
    pub(crate) fn watch_exit(&self) -> Result<()> {
        let loaded = os::loaded_libraries();
        if self.0.load(Ordering::Acquire) != loaded {
            watch_exit()?;
            self.0.store(loaded, Ordering::Release);
        }
        Ok(())
    }
}

/// Registers for exit, possibly again: handlers registered before, such as a driver's, run after gevt's.
pub(crate) fn watch_exit() -> Result<()> {
    if os::on_exit(at_exit) { Ok(()) } else { Err(Error::OutOfMemory) }
}
