//! Fork and exit handlers.

/// Registers a function that runs in the child of each fork; false where there is no memory for it.
pub(crate) fn on_fork(handler: extern "C" fn()) -> bool {
    // SAFETY: the handler takes and gives nothing, and its code stays mapped, as the library is linked with nodelete.
    unsafe { libc::pthread_atfork(None, None, Some(handler)) == 0 }
}

/// Registers a function that runs when the process exits, before those that were registered earlier; false where there is no
/// memory for it. It may run twice.
pub(crate) fn on_exit(handler: extern "C" fn()) -> bool {
    // SAFETY: as for `on_fork`.
    let exit = unsafe { libc::atexit(handler) };
    exit == 0 && at_quick_exit(handler) == 0
}

// SAFETY: the C standard's declaration; any handler that takes and gives nothing will do.
unsafe extern "C" {
    safe fn at_quick_exit(handler: extern "C" fn()) -> libc::c_int;
}
