//! Fork and exit. The handlers' code stays mapped, as the library is linked with nodelete.

/// Registers a function to be called in the child of each fork.
pub(crate) fn at_fork(handler: extern "C" fn()) {
    // SAFETY: the handler takes and gives nothing. If memory is too short for a registration, the process runs without it.
    unsafe { libc::pthread_atfork(None, None, Some(handler)) };
}

/// Registers a function to be called when the process ends. Handlers run in the reverse order of their registration: the driver's own,
/// registered when it was loaded, after this one.
pub(crate) fn at_exit(handler: extern "C" fn()) {
    // SAFETY: as for a fork.
    unsafe {
        libc::atexit(handler);
        at_quick_exit(handler);
    }
}

// SAFETY: the C standard's declaration.
unsafe extern "C" {
    fn at_quick_exit(handler: extern "C" fn()) -> libc::c_int;
}
