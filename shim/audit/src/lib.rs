//! The drop-in's helper for objects that bind past every preloaded library, such as those that are opened with RTLD_DEEPBIND.
//!
//! `gevt-run` names it in LD_AUDIT. The loader then asks it where each reference between objects is to lead. References to the
//! loader's look-ups in libc and to the driver's functions lead to the drop-in's functions of these names, and all others where
//! they led. A reference is asked about when it is bound, and calls through it cost nothing more.
//!
//! It runs inside the loader, in a namespace of its own: it allocates nothing, and calls nothing.

mod symbols;

use std::ffi::{CStr, c_char, c_uint};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};
use symbols::LinkMap;

/// The version of the interface between loader and auditors: that of all glibcs since 2.35.
const VERSION: c_uint = 2;
const BASE_NAMESPACE: isize = 0;
/// In the answer of `la_objopen`: references from the object and to it are of interest.
const BIND_TO: c_uint = 1;
const BIND_FROM: c_uint = 2;
/// In the flags of `la_symbind64`: calls need not be told.
const NO_PLT_ENTER: c_uint = 1;
const NO_PLT_EXIT: c_uint = 2;

/// The drop-in, once it is loaded.
static DROP_IN: AtomicPtr<LinkMap> = AtomicPtr::new(ptr::null_mut());

/// Tells the loader which version of its interface this library speaks.
///
/// # Safety
/// None is needed: the loader calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn la_version(version: c_uint) -> c_uint {
    version.min(VERSION)
}

/// Finds the drop-in among the objects that are loaded.
///
/// # Safety
/// The loader's: `map` is the object's, and `cookie` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn la_objopen(map: *mut LinkMap, namespace: isize, cookie: *mut usize) -> c_uint {
    // SAFETY: the loader's promise.
    unsafe { *cookie = map as usize };
    // SAFETY: the loader's promise; it keeps the map while the object is loaded, and the drop-in always is.
    let object = unsafe { &*map };
    if namespace == BASE_NAMESPACE && object.file() == b"libgevt_cuda.so" {
        if let Some(mark) = object.symbol(c"gevt_cuda_audited") {
            // SAFETY: the drop-in's own variable of this name, an atomic byte. Its memory is there before it is relocated.
            unsafe { (*(mark as *const AtomicU8)).store(1, Ordering::Release) };
        }
        DROP_IN.store(map, Ordering::Release);
    }
    BIND_TO | BIND_FROM
}

/// Returns where a reference is to lead.
///
/// # Safety
/// The loader's: `symbol` is what the reference led to, the cookies are those of [`la_objopen`], and `name` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn la_symbind64(
    symbol: *const symbols::Symbol,
    _index: c_uint,
    from: *const usize,
    to: *const usize,
    flags: *mut c_uint,
    name: *const c_char,
) -> usize {
    // SAFETY: the loader's promise. The cookies are the objects' maps.
    let (found, name, from, to) = unsafe {
        *flags |= NO_PLT_ENTER | NO_PLT_EXIT;
        ((*symbol).value, CStr::from_ptr(name), *from as *const LinkMap, (*to as *const LinkMap).as_ref())
    };
    let drop_in = DROP_IN.load(Ordering::Acquire).cast_const();
    if drop_in.is_null() || from == drop_in {
        return found;
    }
    let is_looked_up = matches!(name.to_bytes(), b"dlsym" | b"dlvsym" | b"dlopen");
    let owner = to.map_or(&b""[..], LinkMap::file);
    let is_theirs = if is_looked_up {
        owner.starts_with(b"libc.so") || owner.starts_with(b"libdl.so")
    } else {
        name.to_bytes().starts_with(b"cu") && owner.starts_with(b"libcuda.so")
    };
    if !is_theirs {
        return found;
    }
    // SAFETY: the map of an object that is never unloaded.
    unsafe { &*drop_in }.symbol(name).unwrap_or(found)
}
