//! `dlsym` and `dlvsym`: the loader's own lookups, which hand out ours where they would hand out the driver's functions; and
//! `dlopen`, which may open a way past them.
//!
//! All other lookups tail-jump to the real function with registers and return address intact: it tells from the return address where
//! RTLD_NEXT and RTLD_DEFAULT begin. The caller may be a malloc that is about to start. So nothing here allocates, locks or panics
//! before the name turned out to be the driver's.

use super::{proc_address, table};
use crate::driver::function::Function;
use crate::driver::libc_look_up::{DLOPEN, DLSYM, DLVSYM, real_dlsym, real_dlvsym};
use crate::driver::{elf, library};
use crate::process;
use std::arch::naked_asm;
use std::ffi::{CStr, c_char, c_void};
use std::ops::ControlFlow;
use std::ptr::{self, NonNull};

/// The outcome of a lookup: a jump to `next`, or if that is NULL, a return of `answer`.
#[repr(C)]
struct Choice {
    answer: *mut c_void,
    next: *mut c_void,
}

/// Three arguments are kept, the return address is the fourth, the place where the second one is kept the fifth, and the choice comes back in
/// two registers.
macro_rules! ask {
    ($choose:ident) => {{
        #[cfg(target_arch = "x86_64")]
        naked_asm!(
            ".cfi_startproc",
            "push rdi",
            ".cfi_adjust_cfa_offset 8",
            "push rsi",
            ".cfi_adjust_cfa_offset 8",
            "push rdx",
            ".cfi_adjust_cfa_offset 8",
            "mov rcx, [rsp + 24]",
            "lea r8, [rsp + 8]",
            "call {choose}",
            "mov r11, rdx",
            "pop rdx",
            ".cfi_adjust_cfa_offset -8",
            "pop rsi",
            ".cfi_adjust_cfa_offset -8",
            "pop rdi",
            ".cfi_adjust_cfa_offset -8",
            "test r11, r11",
            "jz 2f",
            "jmp r11",
            "2: ret",
            ".cfi_endproc",
            choose = sym $choose,
        );
        #[cfg(target_arch = "aarch64")]
        naked_asm!(
            "stp x29, x30, [sp, #-48]!",
            "mov x29, sp",
            "stp x0, x1, [sp, #16]",
            "str x2, [sp, #32]",
            "mov x3, x30",
            "add x4, sp, #24",
            "bl {choose}",
            "mov x16, x1",
            "mov x17, x0",
            "ldp x0, x1, [sp, #16]",
            "ldr x2, [sp, #32]",
            "ldp x29, x30, [sp], #48",
            "cbz x16, 2f",
            "br x16",
            "2: mov x0, x17",
            "ret",
            choose = sym $choose,
        )
    }};
}

/// dlsym: asks `choose_plain(handle, name, version, caller)`, where `version` has no meaning: it is what the register holds.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    ask!(choose_plain)
}

/// dlvsym: asks `choose_versioned(handle, name, version, caller)`.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn dlvsym(
    handle: *mut c_void,
    name: *const c_char,
    version: *const c_char,
) -> *mut c_void {
    ask!(choose_versioned)
}

extern "C" fn choose_plain(
    handle: *mut c_void,
    name: *const c_char,
    _version: *const c_char,
    caller: *const c_void,
) -> Choice {
    // SAFETY: the caller's own arguments.
    choose(handle, name, caller, DLSYM.real(), |handle| unsafe { real_dlsym(handle, name) })
}

extern "C" fn choose_versioned(
    handle: *mut c_void,
    name: *const c_char,
    version: *const c_char,
    caller: *const c_void,
) -> Choice {
    // SAFETY: the caller's own arguments.
    choose(handle, name, caller, DLVSYM.real(), |handle| unsafe { real_dlvsym(handle, name, version) })
}

/// dlerror tells of the last call of `real` or of the one that is jumped to, so the driver is looked for before that.
fn choose(
    handle: *mut c_void,
    name: *const c_char,
    caller: *const c_void,
    next: *mut c_void,
    real: impl Fn(*mut c_void) -> *mut c_void,
) -> Choice {
    let jump = Choice { answer: ptr::null_mut(), next };
    let answer = |answer| Choice { answer, next: ptr::null_mut() };
    let Some(function) = driver_function(name) else {
        note_unknown(handle, name);
        return jump;
    };
    let is_loaded = function.loaded().is_some();
    let is_programs = library::is_program(handle);
    if !is_programs && handle != libc::RTLD_DEFAULT && handle != libc::RTLD_NEXT {
        let Some(found) = NonNull::new(real(handle)) else { return jump };
        if !elf::is_ours(found.as_ptr()) && !function.is_drivers(found) {
            return jump;
        }
        return answer(function.ours());
    }
    // A lookup that does not come by here meets the driver's function, or another library's, or none.
    let route = route(handle, caller, function.name);
    if !route.passes_us {
        return jump;
    }
    match NonNull::new(real(libc::RTLD_NEXT)) {
        Some(_) => answer(function.ours()),
        // A library may see a driver that it brought along. It then finds ours, which is in front.
        None if is_loaded && !is_programs && !route.from_program => jump,
        None => answer(ptr::null_mut()),
    }
}

/// dlopen: asks `choose_open(path, mode, …, caller, kept_mode)`.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn dlopen(path: *const c_char, mode: i32) -> *mut c_void {
    ask!(choose_open)
}

/// An object that prefers its own libraries' symbols takes `dlsym` from libc, past this library. With `gevt-run --deepbind` it is opened as
/// others are.
extern "C" fn choose_open(
    path: *const c_char,
    mode: i32,
    _: *const c_char,
    _caller: *const c_void,
    kept_mode: *mut usize,
) -> Choice {
    if !path.is_null() && mode & libc::RTLD_DEEPBIND != 0 {
        // SAFETY: a C string; a program that changes the environment at the same time is in the wrong, as with any reader of it.
        let setting = unsafe { libc::getenv(c"GEVT_DEEPBIND".as_ptr()) };
        // SAFETY: the environment's own text.
        if !setting.is_null() && unsafe { CStr::from_ptr(setting) } == c"off" {
            // SAFETY: `dlopen` has kept its second argument there, and takes it back before it jumps.
            unsafe { kept_mode.write((mode & !libc::RTLD_DEEPBIND) as usize) };
        } else {
            process::distrust("a library was opened with RTLD_DEEPBIND: see gevt-run --deepbind");
        }
    }
    Choice { answer: ptr::null_mut(), next: DLOPEN.real() }
}

/// Notes a lookup that opens a way past this library. It may be a lookup of `dlsym` in libc by its handle. Or it may be a lookup of a driver
/// function that makes, records or ends events and is not in the table.
fn note_unknown(handle: *mut c_void, name: *const c_char) {
    if !begins(name, b"cu") && !begins(name, b"dl") {
        return;
    }
    // SAFETY: the caller of dlsym promises a C string.
    let name = unsafe { CStr::from_ptr(name) };
    let bytes = name.to_bytes();
    if matches!(bytes, b"dlsym" | b"dlvsym") {
        if handle != libc::RTLD_DEFAULT && handle != libc::RTLD_NEXT && !library::is_program(handle) {
            process::distrust("dlsym was looked up in libc itself");
        }
    } else if bytes.get(2).is_some_and(u8::is_ascii_uppercase)
        && name.to_str().is_ok_and(|name| proc_address::is_events(&table::FUNCTIONS, name))
        && library::in_library(name, false).is_some()
    {
        process::distrust(proc_address::NEW_FORM);
    }
}

/// The function of the table that has this name.
fn driver_function(name: *const c_char) -> Option<&'static Function> {
    // SAFETY: the caller of dlsym promises a C string.
    if begins(name, b"cu") { table::named(unsafe { CStr::from_ptr(name) }) } else { None }
}

/// Returns whether the name begins with these two letters; not if it is NULL.
fn begins(name: *const c_char, letters: &[u8; 2]) -> bool {
    // SAFETY: the caller of dlsym promises a C string; the second byte is read only if the first one does not end it.
    !name.is_null() && unsafe { *name as u8 == letters[0] && *name.add(1) as u8 == letters[1] }
}

/// The way of a lookup through the loaded objects.
struct Route {
    /// The caller is the program itself, which sees no more than all see.
    from_program: bool,
    /// The lookup reaches this library.
    passes_us: bool,
}

/// Returns the way of a lookup. It begins after the caller's object with RTLD_NEXT, else at the first one.
fn route(handle: *mut c_void, caller: *const c_void, name: &CStr) -> Route {
    let mut route = Route { from_program: false, passes_us: false };
    let mut is_first = true;
    let mut has_begun = handle != libc::RTLD_NEXT;
    elf::each(|object| {
        let is_callers = object.holds(caller);
        route.from_program |= is_first && is_callers;
        is_first = false;
        if object.holds(elf::marker()) {
            route.passes_us = has_begun;
            return ControlFlow::Break(());
        }
        if has_begun && object.symbol(name).is_some() {
            return ControlFlow::Break(());
        }
        has_begun |= is_callers;
        ControlFlow::Continue(())
    });
    route
}
