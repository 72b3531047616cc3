//! Which libraries the process's programs and libraries were linked with.

use std::ffi::CStr;
use std::sync::OnceLock;

/// Returns whether a loaded program or library lists `library` among those that it needs.
fn is_needed(library: &CStr) -> bool {
    let mut search = Search { library, found: false };
    // SAFETY: the loader calls `inspect` with the search as it is passed here, and only during this call.
    unsafe { libc::dl_iterate_phdr(Some(inspect), (&raw mut search).cast()) };
    search.found
}

/// Returns whether the process was built with CUDA 12, as far as its libraries show.
pub(super) fn is_twelve() -> bool {
    static TWELVE: OnceLock<bool> = OnceLock::new();
    *TWELVE.get_or_init(|| is_needed(c"libcudart.so.12") && !is_needed(c"libcudart.so.13"))
}

struct Search<'a> {
    library: &'a CStr,
    found: bool,
}

unsafe extern "C" fn inspect(info: *mut libc::dl_phdr_info, _size: usize, search: *mut libc::c_void) -> i32 {
    const DT_NEEDED: usize = 1;
    const DT_STRTAB: usize = 5;
    // SAFETY: the loader passes its description of a loaded object, and the search that `is_needed` gave it.
    let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
    // SAFETY: the loader's description holds that many program headers.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    for header in headers.iter().filter(|header| header.p_type == libc::PT_DYNAMIC) {
        let first = (info.dlpi_addr + header.p_vaddr) as *const [usize; 2];
        // SAFETY: a dynamic section is mapped, and ends with an entry of tag zero.
        let entries = || (0..).map(|at| unsafe { *first.add(at) }).take_while(|entry| entry[0] != 0);
        let Some(strings) = entries().find(|entry| entry[0] == DT_STRTAB).map(|entry| entry[1]) else { continue };
        // The kernel's own object (the vDSO) does not relocate its table of strings, but needs no library either.
        for entry in entries().filter(|entry| entry[0] == DT_NEEDED) {
            // SAFETY: the value is an offset into the object's table of strings, which the loader has relocated.
            search.found |= unsafe { CStr::from_ptr((strings + entry[1]) as *const libc::c_char) } == search.library;
        }
    }
    0
}
