//! Tells gevt of fork and exit.

use crate::error::{Error, Result};
use crate::process::{self, EXITING, FORKED, set_condition};
use crate::trace;
use once_cell::sync::OnceCell;

extern "C" fn in_child() {
    set_condition(FORKED);
}

extern "C" fn at_exit() {
    // The handler is registered more than once, and the trace is waited for once. The child of a fork has neither the thread
    // that writes nor any business with the file.
    let is_first = !process::is_over();
    set_condition(EXITING);
    if is_first {
        trace::finish();
    }
}

/// Registers the handlers, once. Exit handlers run in reverse order: what was set up before the first use of gevt is
/// torn down after gevt has ended, and finds destroy calls that succeed and touch nothing.
pub(crate) fn watch() -> Result<()> {
    static WATCHED: OnceCell<()> = OnceCell::new();
    WATCHED
        .get_or_try_init(|| {
            // SAFETY: the handler only sets a bit, and its code stays mapped (the library is linked with nodelete).
            let fork = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
            if fork == 0 { watch_exit() } else { Err(Error::OutOfMemory) }
        })
        .copied()
}

/// Registers for exit (once more): what was registered before, such as a driver's own handler, runs after gevt's.
pub(crate) fn watch_exit() -> Result<()> {
    // SAFETY: as above.
    let exit = unsafe { libc::atexit(at_exit) };
    let quick = at_quick_exit(at_exit);
    if exit == 0 && quick == 0 { Ok(()) } else { Err(Error::OutOfMemory) }
}

// SAFETY: the C standard's declaration; any handler that takes and gives nothing will do.
unsafe extern "C" {
    safe fn at_quick_exit(handler: extern "C" fn()) -> libc::c_int;
}
