//! Fork and exit handlers.

use libc::{c_int, c_void};

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

/// Returns how many libraries the process has loaded since it began. Their exit handlers come with them.
pub(crate) fn loaded_libraries() -> u64 {
    extern "C" fn read(info: *mut libc::dl_phdr_info, _: usize, loaded: *mut c_void) -> c_int {
        // SAFETY: `dl_iterate_phdr` passes a library's description, and the pointer below.
        unsafe { *loaded.cast() = (*info).dlpi_adds };
        // The first library is enough.
        1
    }
    let mut loaded = 0_u64;
    // SAFETY: `read` gets a pointer to this number, which lives during the call.
    unsafe { libc::dl_iterate_phdr(Some(read), (&raw mut loaded).cast()) };
    loaded
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
