//! The objects that are loaded, and the symbols that they define.
//!
//! It reads the loader's own data and allocates nothing, as a malloc that is about to start may be the first to need it.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::{self, MaybeUninit};
use std::ops::ControlFlow;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::{AtomicPtr, Ordering};

/// An entry of an object's dynamic section.
#[repr(C)]
struct DynamicEntry {
    tag: isize,
    value: usize,
}

const HASH: isize = 4;
const STRINGS: isize = 5;
const SYMBOLS: isize = 6;
const GNU_HASH: isize = 0x6fff_fef5;
const VERSIONS: isize = 0x6fff_fff0;

/// In a symbol's version: found only by a lookup of this very version.
const HIDDEN: u16 = 0x8000;

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
        let mut place = MaybeUninit::<libc::Dl_info>::uninit();
        // SAFETY: `place` can be written.
        if unsafe { libc::dladdr(address, place.as_mut_ptr()) } == 0 {
            return None;
        }
        // SAFETY: dladdr has written it.
        let start = unsafe { place.assume_init() }.dli_fbase.cast_const();
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
        let dynamic = self.headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC)?;
        let dynamic = (self.base.wrapping_add(dynamic.p_vaddr as usize)) as *const DynamicEntry;
        let symbols = self.entry(dynamic, SYMBOLS)?.cast::<libc::Elf64_Sym>();
        let strings = self.entry(dynamic, STRINGS)?.cast::<c_char>();
        let versions = self.entry(dynamic, VERSIONS).map(NonNull::cast::<u16>);
        let fits = |index: u32| {
            let index = index as usize;
            // SAFETY: the index comes from the object's hash table, so it is one of its symbols.
            let symbol = unsafe { symbols.add(index).as_ref() };
            // SAFETY: a symbol's name is an offset in the object's table of strings.
            let has_name = || unsafe { CStr::from_ptr(strings.add(symbol.st_name as usize).as_ptr()) } == name;
            // SAFETY: there is one version for each symbol.
            let is_hidden = versions.is_some_and(|all| unsafe { *all.add(index).as_ref() } & HIDDEN != 0);
            let is_defined = symbol.st_shndx != 0 && symbol.st_value != 0;
            (is_defined && !is_hidden && has_name())
                .then(|| self.base.wrapping_add(symbol.st_value as usize) as *mut c_void)
        };
        let address = if let Some(table) = self.entry(dynamic, GNU_HASH) {
            gnu(table.cast(), name, fits)
        } else {
            plain(self.entry(dynamic, HASH)?.cast(), fits)
        };
        address.and_then(NonNull::new)
    }

    /// What the dynamic section says of `tag`: an address, which most loaders have made absolute in place.
    fn entry(&self, dynamic: *const DynamicEntry, tag: isize) -> Option<NonNull<c_void>> {
        let mut entry = dynamic;
        loop {
            // SAFETY: the dynamic section ends with an entry of tag 0.
            let DynamicEntry { tag: this, value } = unsafe { &*entry };
            if *this == tag {
                let address = if *value < self.base { self.base.wrapping_add(*value) } else { *value };
                return NonNull::new(address as *mut c_void);
            }
            if *this == 0 {
                return None;
            }
            entry = entry.wrapping_add(1);
        }
    }
}

/// Looks up a name in a table of GNU's form. It has four counts, a filter, the first symbol of each bucket, and the hash of each symbol.
/// The last bit of a hash ends a bucket.
fn gnu<T>(table: NonNull<u32>, name: &CStr, fits: impl Fn(u32) -> Option<T>) -> Option<T> {
    // SAFETY: the table begins with these four.
    let [buckets, first, filters, _] = unsafe { table.cast::<[u32; 4]>().read() };
    if buckets == 0 {
        return None;
    }
    let hash = name.to_bytes().iter().fold(5381_u32, |hash, byte| hash.wrapping_mul(33).wrapping_add((*byte).into()));
    // A word of the filter has the size of a pointer.
    let start = 4 + filters as usize * (size_of::<usize>() / size_of::<u32>());
    // SAFETY: the number is below that of the buckets, which follow the filter.
    let mut index = unsafe { table.add(start + (hash % buckets) as usize).read() };
    while index >= first {
        // SAFETY: the hashes follow the buckets, from that of the first symbol in the table on.
        let other = unsafe { table.add(start + buckets as usize + (index - first) as usize).read() };
        if other | 1 == hash | 1
            && let Some(found) = fits(index)
        {
            return Some(found);
        }
        if other & 1 != 0 {
            break;
        }
        index += 1;
    }
    None
}

/// Looks through all symbols of an object that has a table of the older form only, whose second count is that of the
/// symbols.
fn plain<T>(table: NonNull<u32>, fits: impl Fn(u32) -> Option<T>) -> Option<T> {
    // SAFETY: the table begins with two counts.
    let [_, symbols] = unsafe { table.cast::<[u32; 2]>().read() };
    (1..symbols).find_map(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(name: &CStr) -> Option<NonNull<c_void>> {
        let mut found = None;
        each(|object| {
            found = object.symbol(name);
            if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found
    }

    #[test]
    fn symbols_are_found_where_the_loader_finds_them() {
        // Of the last ones, libc may have older forms, which only old programs get.
        let known = [
            (c"qsort", libc::qsort as *mut c_void),
            (c"getenv", libc::getenv as *mut c_void),
            (c"pthread_kill", libc::pthread_kill as *mut c_void),
            (c"sched_getaffinity", libc::sched_getaffinity as *mut c_void),
        ];
        for (name, address) in known {
            assert_eq!(find(name).map_or(std::ptr::null_mut(), NonNull::as_ptr), address, "{name:?}");
        }
        assert_eq!(find(c"there_is_no_such_function"), None);
    }

    #[test]
    fn an_address_lies_in_one_object() {
        let mut holders = 0;
        each(|object| {
            holders += u32::from(object.holds(libc::qsort as *const c_void));
            ControlFlow::Continue(())
        });
        assert_eq!(holders, 1);
    }
}
