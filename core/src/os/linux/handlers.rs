//! Fork and exit handlers.

/// Returns whether the process ends and its other threads are gone, which is so on Windows only.
#[inline]
pub(crate) fn has_lost_threads() -> bool {
    false
}

/// Registers a function that runs in the child of each fork; false if memory is short.
pub(crate) fn on_fork(handler: extern "C" fn()) -> bool {
    // SAFETY: the handler takes and gives nothing, and its code stays mapped, as the library is linked with nodelete.
    unsafe { libc::pthread_atfork(None, None, Some(handler)) == 0 }
}

/// Registers a function that runs when the process exits, before the functions registered earlier; false if memory is
/// short. It may run twice.
pub(crate) fn on_exit(handler: extern "C" fn()) -> bool {
    // SAFETY: as for `on_fork`.
    let exit = unsafe { libc::atexit(handler) };
    exit == 0 && at_quick_exit(handler) == 0
}

/// Clears a page in the child of every fork, including `_Fork` and the bare system call, which run no handlers. Does nothing if the system's pages
/// are longer, or if the system cannot do this.
///
/// # Safety
/// All zeros must be a value of `T`, which any thread may find in the page of a child.
pub(crate) unsafe fn wipe_on_fork<T>(page: &'static T) {
    let start = std::ptr::from_ref(page).cast_mut();
    // SAFETY: takes no pointer.
    let is_a_page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } == size_of::<T>() as libc::c_long;
    if is_a_page && start.addr().is_multiple_of(size_of::<T>()) {
        // SAFETY: the page is static, and this function requires that zeros are a value of it.
        unsafe { libc::madvise(start.cast(), size_of::<T>(), libc::MADV_WIPEONFORK) };
    }
}

// SAFETY: the C standard's declaration; any handler that takes and gives nothing will do.
unsafe extern "C" {
    safe fn at_quick_exit(handler: extern "C" fn()) -> libc::c_int;
}
