//! Fork and exit.

use std::sync::OnceLock;

static IN_CHILD: OnceLock<fn()> = OnceLock::new();
static AT_EXIT: OnceLock<fn()> = OnceLock::new();

extern "C" fn in_child() {
    IN_CHILD.get().inspect(|handler| handler());
}

extern "C" fn at_exit() {
    // Nothing is left that could answer for a panic.
    AT_EXIT.get().inspect(|handler| drop(std::panic::catch_unwind(handler)));
}

/// Has `forked` called in the child of each fork, and `exiting` when the process ends. Handlers run in the reverse order of
/// their registration: the driver's own, registered when it was loaded, after this one.
pub(crate) fn watch(forked: fn(), exiting: fn()) {
    if IN_CHILD.set(forked).is_err() || AT_EXIT.set(exiting).is_err() {
        return;
    }
    // SAFETY: the handlers take and give nothing, and their code stays mapped (the library is linked with nodelete).
    // Where there is no memory for a registration, the process goes without that handler.
    unsafe {
        libc::pthread_atfork(None, None, Some(in_child));
        libc::atexit(at_exit);
        at_quick_exit(at_exit);
    }
}

// SAFETY: the C standard's declaration.
unsafe extern "C" {
    fn at_quick_exit(handler: extern "C" fn()) -> libc::c_int;
}
