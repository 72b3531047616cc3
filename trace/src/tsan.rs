//! ThreadSanitizer's runtime, in a program that has it.

use gevt_core::probe::{Order, Scope};
use std::ffi::{CStr, c_int, c_uint, c_void};
use std::mem::transmute;
use std::sync::OnceLock;

type Announce = unsafe extern "C" fn(*mut c_void);
type Mark = unsafe extern "C" fn(*mut c_void, c_uint) -> c_int;

/// The runtime's functions. Those that mark the beginning and the end of what is left out return nothing, which a caller may
/// take for a number that it does not read.
struct Runtime {
    /// By [`Order`].
    announce: [Announce; 2],
    /// By [`Scope`]: its beginning and its end.
    pass: [[Mark; 2]; 2],
}

fn runtime() -> Option<&'static Runtime> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    // There is none for Windows.
    #[cfg(windows)]
    let find = |_: &CStr| std::ptr::null_mut();
    // SAFETY: the name is a C string.
    #[cfg(unix)]
    let find = |name: &CStr| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    // SAFETY: null, or a function of the runtime, which has this type.
    let announce = |name| unsafe { transmute::<*mut c_void, Option<Announce>>(find(name)) };
    // SAFETY: as above.
    let mark = |name| unsafe { transmute::<*mut c_void, Option<Mark>>(find(name)) };
    let load = || {
        let library = [mark(c"__tsan_mutex_pre_signal")?, mark(c"__tsan_mutex_post_signal")?];
        let program = [mark(c"__tsan_mutex_pre_divert")?, mark(c"__tsan_mutex_post_divert")?];
        let announce = [announce(c"__tsan_release")?, announce(c"__tsan_acquire")?];
        Some(Runtime { announce, pass: [library, program] })
    };
    RUNTIME.get_or_init(load).as_ref()
}

/// Returns whether the program has the sanitizer's runtime.
pub(crate) fn is_sanitized() -> bool {
    runtime().is_some()
}

/// Announces something about an address, which is not read.
pub(crate) fn announce(order: Order, address: usize) {
    let Some(runtime) = runtime() else { return };
    // SAFETY: the sanitizer takes any address of the process's memory for a name.
    unsafe { runtime.announce[order as usize](std::ptr::without_provenance_mut(address)) };
}

/// Passes from the program's code to the library's on the calling thread, or back.
pub(crate) fn pass(scope: Scope, begins: bool) {
    let Some(runtime) = runtime() else { return };
    let function = runtime.pass[scope as usize][usize::from(!begins)];
    // SAFETY: the sanitizer reads neither the address nor the flags of these, but for a flag that is not set.
    unsafe { function(std::ptr::null_mut(), 0) };
}
