//! Fork and exit handlers. Windows has no fork. When a process ends, the loader calls the library once all other threads are gone.

use super::thread;
use std::ffi::c_void;
use std::sync::OnceLock;
use windows_sys::Win32::System::LibraryLoader::{
    GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_PIN, GetModuleHandleExW,
};
use windows_sys::Win32::System::SystemServices::{DLL_PROCESS_DETACH, DLL_THREAD_DETACH};

#[link(name = "ntdll", kind = "raw-dylib")]
unsafe extern "system" {
    safe fn RtlDllShutdownInProgress() -> u8;
}

/// Returns whether the process ends and its other threads are gone, possibly with locks held. The handler may not have run yet:
/// the loader calls the libraries that use this one first.
#[inline]
pub(crate) fn has_lost_threads() -> bool {
    RtlDllShutdownInProgress() != 0
}

static EXIT: OnceLock<extern "C" fn()> = OnceLock::new();

/// Windows has no fork.
pub(crate) fn on_fork(_: extern "C" fn()) -> bool {
    true
}

/// Registers the one function that runs when the process exits, and keeps the library loaded until then.
pub(crate) fn on_exit(handler: extern "C" fn()) -> bool {
    let is_registered = EXIT.get().is_some() || pin();
    if is_registered {
        EXIT.get_or_init(|| handler);
    }
    is_registered
}

/// The one handler runs before any library's: it does not matter how many are loaded.
pub(crate) fn loaded_libraries() -> u64 {
    0
}

/// Windows has no fork.
///
/// # Safety
/// None is needed.
pub(crate) unsafe fn wipe_on_fork<T>(_: &'static T) {}

/// Keeps the module that has this code loaded until the process ends; false if the system refuses.
fn pin() -> bool {
    let mut module = std::ptr::null_mut();
    let flags = GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS;
    let address = (&raw const EXIT).cast();
    // SAFETY: with this flag the name is any address in the module, and the other pointer is valid for a write.
    unsafe { GetModuleHandleExW(flags, address, &mut module) != 0 }
}

/// Has the loader call [`notify`] like DllMain, also in a program that is linked with the static library. The section's name sorts
/// behind the standard library's, so thread-local values have been destroyed by then.
#[used]
#[unsafe(link_section = ".CRT$XLC")]
static CALLBACK: unsafe extern "system" fn(*mut c_void, u32, *mut c_void) = notify;

/// # Safety
/// For the loader alone.
unsafe extern "system" fn notify(_: *mut c_void, reason: u32, _: *mut c_void) {
    match reason {
        DLL_THREAD_DETACH => thread::end(),
        // The library is pinned from its first use on, so this is the end of the process if there is a handler.
        DLL_PROCESS_DETACH => EXIT.get().into_iter().for_each(|handler| handler()),
        _ => {}
    }
}
