//! The dynamic section of a loaded object, and the symbols that the object defines. Allocates nothing: a malloc that is about to start may be
//! the first to need it.

use std::ffi::{CStr, c_char};

/// An entry of the section.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Entry {
    tag: usize,
    value: usize,
}

const HASH: usize = 4;
const STRINGS: usize = 5;
const SYMBOLS: usize = 6;
const GNU_HASH: usize = 0x6fff_fef5;
const VERSIONS: usize = 0x6fff_fff0;

/// In a symbol's version: found only by a lookup of this very version.
const HIDDEN: u16 = 0x8000;

/// The dynamic section of an object that stays loaded.
#[derive(Clone, Copy)]
pub(super) struct Dynamic {
    base: usize,
    entries: *const Entry,
}

impl Dynamic {
    /// # Safety
    /// The object is loaded at `base` and stays loaded, and `entries` is its dynamic section.
    pub(super) unsafe fn new(base: usize, entries: *const Entry) -> Dynamic {
        Dynamic { base, entries }
    }

    /// Returns the address of the function or variable of that name that the object exports.
    pub(super) fn symbol(self, name: &CStr) -> Option<usize> {
        let versions = self.address(VERSIONS).map(|versions| versions as *const u16);
        let strings = self.address(STRINGS)? as *const c_char;
        let symbols = self.address(SYMBOLS)? as *const libc::Elf64_Sym;
        let fits = |index: u32| {
            // SAFETY: the number comes from the object's hash table, and there is one version for each symbol.
            let is_hidden = versions.is_some_and(|all| unsafe { *all.wrapping_add(index as usize) } & HIDDEN != 0);
            // SAFETY: the object's table of symbols has that one.
            let symbol = unsafe { &*symbols.wrapping_add(index as usize) };
            // SAFETY: a symbol's name is an offset in the object's table of strings.
            let this = unsafe { CStr::from_ptr(strings.wrapping_add(symbol.st_name as usize)) };
            let is_defined = symbol.st_shndx != 0 && symbol.st_value != 0;
            (is_defined && !is_hidden && this == name).then(|| self.base.wrapping_add(symbol.st_value as usize))
        };
        match self.address(GNU_HASH) {
            Some(table) => gnu(table as *const u32, name, fits),
            None => plain(self.address(HASH)? as *const u32, fits),
        }
    }

    /// Returns an address of the section, which the loader may have made absolute in place.
    fn address(self, tag: usize) -> Option<usize> {
        let mut entry = self.entries;
        loop {
            // SAFETY: an entry of tag 0 ends the dynamic section, and the loop stops there.
            let Entry { tag: this, value } = unsafe { *entry };
            if this == tag {
                return Some(if value < self.base { self.base.wrapping_add(value) } else { value });
            }
            if this == 0 {
                return None;
            }
            entry = entry.wrapping_add(1);
        }
    }
}

/// Looks up a name in a table of GNU's form. It has four counts, a filter, the first symbol of each bucket, and the hash of each symbol.
/// The last bit of a hash ends a bucket.
fn gnu<T>(table: *const u32, name: &CStr, fits: impl Fn(u32) -> Option<T>) -> Option<T> {
    // SAFETY: the table begins with these four.
    let [buckets, first, filter, _] = unsafe { table.cast::<[u32; 4]>().read() };
    let bytes = name.to_bytes().iter();
    let hash = bytes.fold(5381_u32, |hash, byte| hash.wrapping_mul(33).wrapping_add(u32::from(*byte)));
    // A word of the filter has the size of a pointer.
    let start = 4 + filter as usize * 2;
    // SAFETY: the buckets follow the filter, and the number is below theirs.
    let mut index = unsafe { table.wrapping_add(start + hash.checked_rem(buckets)? as usize).read() };
    while index >= first {
        let place = start + buckets as usize + (index - first) as usize;
        // SAFETY: the hashes follow the buckets, from that of the first symbol in the table on.
        let other = unsafe { table.wrapping_add(place).read() };
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

/// Looks through all symbols of an object that has only a table of the older form, whose second count is that of the symbols.
fn plain<T>(table: *const u32, fits: impl Fn(u32) -> Option<T>) -> Option<T> {
    // SAFETY: the table begins with two counts.
    let [_, symbols] = unsafe { table.cast::<[u32; 2]>().read() };
    (1..symbols).find_map(fits)
}
