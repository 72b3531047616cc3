//! ThreadSanitizer's runtime. Its functions are weak symbols, which are null in a program without it.

use gevt_core::probe::{Order, Scope};
use std::ffi::{c_int, c_uint, c_void};

// The dynamic linker fills the table in, or the program's own linker where gevt is linked statically.
std::arch::global_asm!(
    ".pushsection .data.rel.ro, \"aw\"",
    ".p2align 3",
    ".globl gevt_sanitizer",
    ".hidden gevt_sanitizer",
    "gevt_sanitizer:",
    ".weak __tsan_acquire",
    ".quad __tsan_acquire",
    ".weak __tsan_release",
    ".quad __tsan_release",
    ".weak __tsan_mutex_pre_signal",
    ".quad __tsan_mutex_pre_signal",
    ".weak __tsan_mutex_post_signal",
    ".quad __tsan_mutex_post_signal",
    ".weak __tsan_mutex_pre_divert",
    ".quad __tsan_mutex_pre_divert",
    ".weak __tsan_mutex_post_divert",
    ".quad __tsan_mutex_post_divert",
    ".popsection",
);

type Announce = Option<unsafe extern "C" fn(*mut c_void)>;
type Mark = Option<unsafe extern "C" fn(*mut c_void, c_uint) -> c_int>;

/// The table above. The functions that mark the beginning and the end of what is left out return nothing, which a caller may
/// take for a number that it does not read.
#[repr(C)]
struct Runtime {
    acquire: Announce,
    release: Announce,
    begin_ignoring: Mark,
    end_ignoring: Mark,
    begin_heeding: Mark,
    end_heeding: Mark,
}

// SAFETY: the table above, which does not change once the library is loaded.
unsafe extern "C" {
    #[link_name = "gevt_sanitizer"]
    static RUNTIME: Runtime;
}

fn runtime() -> &'static Runtime {
    // SAFETY: the static does not change.
    unsafe { &RUNTIME }
}

/// Returns whether the program has the sanitizer's runtime.
pub(crate) fn is_sanitized() -> bool {
    let Runtime { acquire, release, begin_ignoring, end_ignoring, begin_heeding, end_heeding } = runtime();
    let marks = [begin_ignoring, end_ignoring, begin_heeding, end_heeding];
    acquire.is_some() && release.is_some() && marks.into_iter().all(Option::is_some)
}

/// Announces something about an address, which is not read.
pub(crate) fn announce(order: Order, address: usize) {
    let function = match order {
        Order::Acquire => runtime().acquire,
        Order::Release => runtime().release,
    };
    if let Some(function) = function {
        // SAFETY: the sanitizer takes any address of the process's memory for a name.
        unsafe { function(std::ptr::without_provenance_mut(address)) };
    }
}

/// Passes from the program's code to the library's on the calling thread, or back.
pub(crate) fn pass(scope: Scope, begins: bool) {
    let function = match (scope, begins) {
        (Scope::Library, true) => runtime().begin_ignoring,
        (Scope::Library, false) => runtime().end_ignoring,
        (Scope::Program, true) => runtime().begin_heeding,
        (Scope::Program, false) => runtime().end_heeding,
    };
    if let Some(function) = function {
        // SAFETY: the sanitizer reads neither the address nor the flags of these, but for a flag that is not set.
        unsafe { function(std::ptr::null_mut(), 0) };
    }
}
