//! The loader's record of an object, and the symbols that the object defines.

use std::ffi::{CStr, c_char};

/// The beginning of the loader's `struct link_map`.
#[repr(C)]
pub struct LinkMap {
    base: usize,
    name: *const c_char,
    dynamic: *const Dynamic,
}

/// An entry of an object's dynamic section.
#[repr(C)]
#[derive(Clone, Copy)]
struct Dynamic {
    tag: isize,
    value: usize,
}

/// Elf64_Sym
#[repr(C)]
pub struct Symbol {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    /// In what the loader hands to an auditor, the address.
    pub value: usize,
    size: u64,
}
const _: () = assert!(size_of::<Symbol>() == 24);

const STRINGS: isize = 5;
const SYMBOLS: isize = 6;
const GNU_HASH: isize = 0x6fff_fef5;

impl LinkMap {
    /// Returns the name of the object's file, without its folder.
    pub fn file(&self) -> &[u8] {
        if self.name.is_null() {
            return b"";
        }
        // SAFETY: the loader's record has the object's name.
        let path = unsafe { CStr::from_ptr(self.name) }.to_bytes();
        path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
    }

    /// Returns the address of the symbol of that name that the object defines.
    pub fn symbol(&self, name: &CStr) -> Option<usize> {
        let strings = self.entry(STRINGS)? as *const c_char;
        let symbols = self.entry(SYMBOLS)? as *const Symbol;
        let table = self.entry(GNU_HASH)? as *const u32;
        // SAFETY: a table of GNU's form begins with four counts: of buckets, of the first symbol, of the filter's words.
        let [buckets, first, filter, _] = unsafe { table.cast::<[u32; 4]>().read() };
        let hash =
            name.to_bytes().iter().fold(5381_u32, |hash, byte| hash.wrapping_mul(33).wrapping_add(u32::from(*byte)));
        let start = 4 + filter as usize * 2;
        // SAFETY: the buckets follow the filter, and the number is below theirs.
        let mut index = unsafe { table.add(start + hash.checked_rem(buckets)? as usize).read() };
        while index >= first {
            // SAFETY: the hashes follow the buckets, from that of the first symbol in the table on.
            let other = unsafe { table.add(start + buckets as usize + (index - first) as usize).read() };
            // SAFETY: the hash table's symbols are in the table of symbols.
            let symbol = unsafe { &*symbols.add(index as usize) };
            // SAFETY: a symbol's name is an offset in the object's table of strings.
            let is_named = || unsafe { CStr::from_ptr(strings.add(symbol.name as usize)) } == name;
            if other | 1 == hash | 1 && symbol.section != 0 && is_named() {
                return Some(self.base.wrapping_add(symbol.value));
            }
            if other & 1 != 0 {
                break;
            }
            index += 1;
        }
        None
    }

    /// Returns the address that the dynamic section has under that tag, which the loader may have made absolute in place.
    fn entry(&self, tag: isize) -> Option<usize> {
        let mut entry = self.dynamic;
        loop {
            // SAFETY: the dynamic section goes on until an entry of tag 0.
            let Dynamic { tag: this, value } = unsafe { *entry };
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
