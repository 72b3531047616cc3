//! The objects that are loaded.
//!
//! It reads the loader's own data and allocates nothing, as a malloc that is about to start may be the first to need it.

use super::address::in_object;
use super::dynamic::{Dynamic, Entry};
use std::ffi::{CStr, c_int, c_void};
use std::mem;
use std::ops::ControlFlow;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::{AtomicPtr, Ordering};

type Iterate = unsafe extern "C" fn(
    Option<unsafe extern "C" fn(*mut libc::dl_phdr_info, usize, *mut c_void) -> c_int>,
    *mut c_void,
) -> c_int;

/// libc's dl_iterate_phdr, once it was looked for.
static ITERATE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// An object that is loaded.
pub(crate) struct Object<'a> {
    base: usize,
    headers: &'a [libc::Elf64_Phdr],
}

/// Visits the loaded objects in the order in which they were loaded. For the objects that a program starts with, this is also the order
/// in which symbols are looked up.
pub(crate) fn each<F: FnMut(Object<'_>) -> ControlFlow<()>>(mut visit: F) {
    unsafe extern "C" fn call<F: FnMut(Object<'_>) -> ControlFlow<()>>(
        info: *mut libc::dl_phdr_info,
        _size: usize,
        visit: *mut c_void,
    ) -> c_int {
        // SAFETY: the loader lends the object's data for this call.
        let info = unsafe { &*info };
        let headers = if info.dlpi_phdr.is_null() {
            &[]
        } else {
            // SAFETY: the loader says where the object's program headers are, and how many.
            unsafe { slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) }
        };
        // SAFETY: the pointer that was given to dl_iterate_phdr below.
        let visit = unsafe { &mut *visit.cast::<F>() };
        visit(Object { base: info.dlpi_addr as usize, headers }).is_break().into()
    }
    // SAFETY: `call` gets `visit` back as what it is, and only until dl_iterate_phdr returns.
    unsafe { iterate()(Some(call::<F>), (&raw mut visit).cast()) };
}

/// libc's own dl_iterate_phdr. A program's in its place may have to look libc's up first, and so come back here.
fn iterate() -> Iterate {
    let mut known = ITERATE.load(Ordering::Acquire);
    if known.is_null() {
        let own = Object::around(libc::getauxval as *const c_void).and_then(|libc| libc.symbol(c"dl_iterate_phdr"));
        known = own.map_or(libc::dl_iterate_phdr as *mut c_void, NonNull::as_ptr);
        ITERATE.store(known, Ordering::Release);
    }
    // SAFETY: the address of a function of this name, which has this signature.
    unsafe { mem::transmute::<*mut c_void, Iterate>(known) }
}

impl Object<'_> {
    /// The object that the address lies in. It has to stay loaded.
    fn around(address: *const c_void) -> Option<Object<'static>> {
        let start = in_object(address)?.dli_fbase.cast_const();
        // SAFETY: a loaded object begins with its header.
        let header = unsafe { start.cast::<libc::Elf64_Ehdr>().as_ref() }?;
        let headers = start.wrapping_byte_add(header.e_phoff as usize).cast();
        // SAFETY: the header says where the program headers are, and how many; they are loaded with it.
        let headers: &[libc::Elf64_Phdr] = unsafe { slice::from_raw_parts(headers, usize::from(header.e_phnum)) };
        // The first part of the object says where it was meant to be.
        let first = headers.iter().find(|header| header.p_type == libc::PT_LOAD)?;
        let base = (start as usize).wrapping_sub(first.p_vaddr.wrapping_sub(first.p_offset) as usize);
        Some(Object { base, headers })
    }

    /// Returns whether the address lies in the object.
    pub(crate) fn holds(&self, address: *const c_void) -> bool {
        let offset = (address as usize).wrapping_sub(self.base);
        let mut loaded = self.headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        loaded.any(|header| offset.wrapping_sub(header.p_vaddr as usize) < header.p_memsz as usize)
    }

    /// Returns the address of the function or variable of that name that the object exports.
    pub(crate) fn symbol(&self, name: &CStr) -> Option<NonNull<c_void>> {
        let header = self.headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC)?;
        let entries = self.base.wrapping_add(header.p_vaddr as usize) as *const Entry;
        // SAFETY: the object's headers say where its dynamic section is. Whoever has the object keeps it loaded.
        let dynamic = unsafe { Dynamic::new(self.base, entries) };
        dynamic.symbol(name).and_then(|address| NonNull::new(address as *mut c_void))
    }
}

static MARKER: u8 = 0;

/// Returns an address in this library.
pub(crate) fn marker() -> *const c_void {
    (&raw const MARKER).cast()
}

/// Returns whether the address lies in this library.
pub(crate) fn is_ours(address: *const c_void) -> bool {
    let mut is_ours = false;
    each(|object| {
        if !object.holds(marker()) {
            return ControlFlow::Continue(());
        }
        is_ours = object.holds(address);
        ControlFlow::Break(())
    });
    is_ours
}

#[cfg(test)]
#[path = "elf_tests.rs"]
mod tests;
