//! Redirects to the drop-in the references of libraries that bypass preloaded libraries: those opened with RTLD_DEEPBIND.
//!
//! `gevt-run --deepbind` names it in LD_AUDIT. The loader then asks it about each reference that it binds through a procedure linkage
//! table. References to libc's `dlsym`, `dlvsym` and `dlopen` and to the driver's functions lead to the drop-in's functions of these
//! names. The loader does not ask about references through the global offset table, as of code built with `-fno-plt`: if a library
//! has those, the drop-in is told to stop trusting its memory.
//!
//! It runs inside the loader, in a namespace of its own. It allocates nothing, calls no library and needs none.

#![no_std]

mod dynamic;
mod object;

use core::ffi::{c_char, c_uint};
use core::mem::transmute;
use core::panic::PanicInfo;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU8, Ordering};
use dynamic::{Name, Symbol};
use object::Object;

/// The version of the loader's interface since glibc 2.35. In version 1, every lazily bound call would go through the loader.
const VERSION: c_uint = 2;
const BASE_NAMESPACE: isize = 0;
/// In the answer of `la_objopen`: references to the object and from it are of interest.
const BIND_TO: c_uint = 1;
const BIND_FROM: c_uint = 2;
/// In the flags of `la_symbind64`: the calls themselves are not.
const NO_PLT_ENTER: c_uint = 1;
const NO_PLT_EXIT: c_uint = 2;

/// In the drop-in's `gevt_cuda_audit`: this library is there.
const AUDITED: u8 = 1;
/// Set by the drop-in: a library was opened with RTLD_DEEPBIND.
const DEEPBIND: u8 = 2;

/// The drop-in, once it is loaded. It is never unloaded.
static DROP_IN: AtomicPtr<Object> = AtomicPtr::new(ptr::null_mut());

/// Returns the version of the interface to use; 0 if there is none, and the loader then drops this library.
#[unsafe(no_mangle)]
pub extern "C" fn la_version(version: c_uint) -> c_uint {
    if version < VERSION { 0 } else { VERSION }
}

/// Looks at an object that the loader has just mapped.
///
/// # Safety
/// `object` is the loader's record of it, and `cookie` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn la_objopen(object: *mut Object, namespace: isize, cookie: *mut usize) -> c_uint {
    // Another namespace has its own driver, which the drop-in does not know. Its objects get no cookie.
    let is_base = namespace == BASE_NAMESPACE;
    // SAFETY: the caller's promise.
    unsafe { *cookie = if is_base { object as usize } else { 0 } };
    if !is_base {
        return 0;
    }
    // SAFETY: the caller's promise. The record lasts while the object is mapped.
    let this = unsafe { &*object };
    if this.file().is(b"libgevt_cuda.so") {
        if let Some(mark) = mark(this) {
            mark.fetch_or(AUDITED, Ordering::AcqRel);
        }
        DROP_IN.store(object, Ordering::Release);
    } else if let Some(drop_in) = drop_in()
        && mark(drop_in).is_some_and(|mark| mark.load(Ordering::Acquire) & DEEPBIND != 0)
        && this.references_outside_plt(|name| is_drivers(name) && drop_in.symbol(name).is_some())
        && let Some(told) = drop_in.symbol(Name(b"gevt_cuda_bypassed"))
    {
        // SAFETY: the drop-in's function of this name, which has this signature. The drop-in has run: it has set DEEPBIND.
        unsafe { transmute::<usize, extern "C" fn()>(told)() };
    }
    BIND_TO | BIND_FROM
}

/// Returns where a reference leads.
///
/// # Safety
/// `symbol` is what the loader bound it to, with the address as its value, the cookies are those of [`la_objopen`], `flags` can be
/// written, and `name` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn la_symbind64(
    symbol: *const Symbol,
    _index: c_uint,
    from: *const usize,
    to: *const usize,
    flags: *mut c_uint,
    name: *const c_char,
) -> usize {
    // SAFETY: the caller's promise. The cookies are the objects' records, or 0.
    let (found, name, from, to) = unsafe {
        *flags |= NO_PLT_ENTER | NO_PLT_EXIT;
        ((*symbol).value, Name::at(name), *from as *const Object, (*to as *const Object).as_ref())
    };
    let (Some(drop_in), Some(to)) = (drop_in(), to) else { return found };
    if from.is_null() || ptr::eq(from, drop_in) {
        return found;
    }
    let owner = to.file();
    let is_redirected = if is_drivers(name) {
        owner.starts_with(b"libcuda.so")
    } else {
        (name.is(b"dlsym") || name.is(b"dlvsym") || name.is(b"dlopen"))
            && (owner.starts_with(b"libc.so") || owner.starts_with(b"libdl.so"))
    };
    if is_redirected { drop_in.symbol(name).unwrap_or(found) } else { found }
}

fn drop_in() -> Option<&'static Object> {
    // SAFETY: the loader's record of an object that is never unloaded.
    unsafe { DROP_IN.load(Ordering::Acquire).as_ref() }
}

/// Returns the drop-in's variable through which the two libraries know of each other. Its memory is there before it is relocated.
fn mark(drop_in: &Object) -> Option<&'static AtomicU8> {
    // SAFETY: the drop-in's variable of this name is an atomic byte, and the drop-in is never unloaded.
    drop_in.symbol(Name(b"gevt_cuda_audit")).map(|address| unsafe { &*(address as *const AtomicU8) })
}

fn is_drivers(name: Name<'_>) -> bool {
    name.starts_with(b"cu")
}

/// Nothing here panics.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
