//! Fork and exit.

use std::sync::OnceLock;

static IN_CHILD: OnceLock<fn()> = OnceLock::new();
static AT_EXIT: OnceLock<fn()> = OnceLock::new();

extern "C" fn in_child() {
    IN_CHILD.get().inspect(|handler| handler());
}

extern "C" fn call_exiting() {
    // Nothing is left that could answer for a panic.
    AT_EXIT.get().inspect(|handler| drop(std::panic::catch_unwind(handler)));
}

/// Registers `forked` to be called in the child of each fork.
pub(crate) fn at_fork(forked: fn()) {
    if IN_CHILD.set(forked).is_ok() {
        // SAFETY: the handler takes and gives nothing, and its code stays mapped (the library is linked with nodelete). If there
        // is no memory for a registration, the process goes without it.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    }
}

/// Registers `exiting` to be called when the process ends. Handlers run in the reverse order of their registration: the driver's own,
/// registered when it was loaded, after this one.
pub(crate) fn at_exit(exiting: fn()) {
    if AT_EXIT.set(exiting).is_ok() {
        // SAFETY: as for a fork.
        unsafe {
            libc::atexit(call_exiting);
            at_quick_exit(call_exiting);
        }
    }
}

// SAFETY: the C standard's declaration.
unsafe extern "C" {
    fn at_quick_exit(handler: extern "C" fn()) -> libc::c_int;
}
