//! Small things that threads share, and a careful look at memory that may not be there.

use std::ffi::CStr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A reference to something that lives as long as the process; empty at first.
pub(crate) struct Link<T: 'static>(AtomicPtr<T>);

impl<T> Default for Link<T> {
    fn default() -> Link<T> {
        Link(AtomicPtr::new(std::ptr::null_mut()))
    }
}

impl<T: Sync> Link<T> {
    pub(crate) fn set(&self, target: &'static T) {
        self.0.store(std::ptr::from_ref(target).cast_mut(), Ordering::Release);
    }

    pub(crate) fn get(&self) -> Option<&'static T> {
        // SAFETY: `set` alone stores a pointer, and stores that of a reference to what is never freed.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }
}

/// Is there memory at the address, all zero as far as an object would reach? Never faults.
pub(crate) fn reads_as_zero(address: usize) -> bool {
    let mut bytes = [1u8; 64];
    let to = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let from = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: bytes.len() };
    // SAFETY: the kernel checks the source and answers EFAULT where there is none; the target is `bytes`.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &to, 1, &from, 1, 0) };
    read == bytes.len() as isize && bytes.iter().all(|byte| *byte == 0)
}

/// Does a loaded program or library name that library as one that it needs?
pub(crate) fn is_needed(library: &CStr) -> bool {
    let mut search = Search { library, found: false };
    // SAFETY: `look_into` gets the search back as it is passed here, and only during the call.
    unsafe { libc::dl_iterate_phdr(Some(look_into), (&raw mut search).cast()) };
    search.found
}

struct Search<'a> {
    library: &'a CStr,
    found: bool,
}

unsafe extern "C" fn look_into(info: *mut libc::dl_phdr_info, _size: usize, search: *mut libc::c_void) -> i32 {
    const DT_NEEDED: usize = 1;
    const DT_STRTAB: usize = 5;
    // SAFETY: the loader's own description of a loaded object, and the search of `is_needed`.
    let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
    // SAFETY: as the loader describes it.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    for header in headers.iter().filter(|header| header.p_type == libc::PT_DYNAMIC) {
        let first = (info.dlpi_addr + header.p_vaddr) as *const [usize; 2];
        // SAFETY: a dynamic section is mapped, and ends with an entry of tag zero.
        let entries = || (0..).map(|at| unsafe { *first.add(at) }).take_while(|entry| entry[0] != 0);
        let Some(strings) = entries().find(|entry| entry[0] == DT_STRTAB).map(|entry| entry[1]) else { continue };
        // The kernel's own object has its table by offset, and needs nothing.
        for entry in entries().filter(|entry| entry[0] == DT_NEEDED) {
            // SAFETY: an offset into the object's table of strings, which the loader has relocated.
            search.found |= unsafe { CStr::from_ptr((strings + entry[1]) as *const libc::c_char) } == search.library;
        }
    }
    0
}
