//! The loader's record of an object, and the object's symbols and references.

use core::ffi::c_char;
use core::slice;

/// The beginning of the loader's `struct link_map`.
#[repr(C)]
pub struct Object {
    base: usize,
    path: *const c_char,
    dynamic: *const DynamicEntry,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct DynamicEntry {
    tag: usize,
    value: usize,
}

/// Elf64_Sym
#[repr(C)]
pub struct Symbol {
    name: u32,
    _info: u8,
    _other: u8,
    section: u16,
    /// In what the loader hands to an auditor, the address.
    pub value: usize,
    _size: u64,
}
const _: () = assert!(size_of::<Symbol>() == 24);

/// Elf64_Rela
#[repr(C)]
struct Reference {
    _place: usize,
    /// The symbol's number is in the upper half.
    info: u64,
    _addend: isize,
}
const _: () = assert!(size_of::<Reference>() == 24);

// Tags of the dynamic section.
const STRINGS: usize = 5;
const SYMBOLS: usize = 6;
const REFERENCES: usize = 7;
const REFERENCES_SIZE: usize = 8;
const GNU_HASH: usize = 0x6fff_fef5;

/// The bytes of a C string. There is no libc to find its end or to compare it.
#[derive(Clone, Copy)]
pub struct Name<'a>(pub &'a [u8]);

impl Name<'_> {
    /// # Safety
    /// `text` is a C string that lasts.
    pub unsafe fn at<'a>(text: *const c_char) -> Name<'a> {
        let mut length = 0;
        // SAFETY: the bytes up to the first zero can be read. Volatile reads stay a loop, and do not become a call of strlen.
        while unsafe { text.wrapping_add(length).read_volatile() } != 0 {
            length += 1;
        }
        // SAFETY: as above.
        Name(unsafe { slice::from_raw_parts(text.cast(), length) })
    }

    /// Returns whether it is that text.
    pub fn is(self, text: &[u8]) -> bool {
        self.0.len() == text.len() && self.starts_with(text)
    }

    /// Returns whether it begins with that text.
    pub fn starts_with(self, text: &[u8]) -> bool {
        let mut bytes = self.0.iter();
        text.iter().all(|byte| bytes.next() == Some(byte))
    }
}

impl Object {
    /// Returns the name of the object's file, without its folder.
    pub fn file(&self) -> Name<'_> {
        if self.path.is_null() {
            return Name(b"");
        }
        // SAFETY: the record has the object's path.
        let path = unsafe { Name::at(self.path) }.0;
        Name(path.rsplit(|byte| *byte == b'/').next().unwrap_or_default())
    }

    /// Returns the address of the symbol of that name that the object defines.
    pub fn symbol(&self, name: Name<'_>) -> Option<usize> {
        let table = self.address(GNU_HASH)? as *const u32;
        // SAFETY: a table of GNU's form begins with four counts: of buckets, of the first symbol, of the filter's words.
        let [buckets, first, filter, _] = unsafe { table.cast::<[u32; 4]>().read() };
        let bytes = name.0.iter();
        let hash = bytes.fold(5381_u32, |hash, byte| hash.wrapping_mul(33).wrapping_add(u32::from(*byte)));
        let start = 4 + filter as usize * 2;
        // SAFETY: the buckets follow the filter, and the number is below theirs.
        let mut index = unsafe { table.wrapping_add(start + hash.checked_rem(buckets)? as usize).read() };
        while index >= first {
            let place = start + buckets as usize + (index - first) as usize;
            // SAFETY: the hashes follow the buckets, from that of the first symbol in the table on.
            let other = unsafe { table.wrapping_add(place).read() };
            if other | 1 == hash | 1
                && let Some((this, symbol)) = self.number(index)
                && symbol.section != 0
                && this.is(name.0)
            {
                return Some(self.base.wrapping_add(symbol.value));
            }
            if other & 1 != 0 {
                break;
            }
            index += 1;
        }
        None
    }

    /// Returns whether one of the names is that of an undefined symbol to which the object refers other than by a procedure linkage
    /// table, whose references are in a table of their own.
    pub fn references_outside_plt(&self, is_wanted: impl Fn(Name<'_>) -> bool) -> bool {
        let (Some(first), Some(bytes)) = (self.address(REFERENCES), self.entry(REFERENCES_SIZE)) else { return false };
        // SAFETY: the dynamic section says where the references are, and how many bytes they take. They are mapped, and never written.
        let all = unsafe { slice::from_raw_parts(first as *const Reference, bytes / size_of::<Reference>()) };
        let symbols = all.iter().filter_map(|reference| self.number((reference.info >> 32) as u32));
        symbols.filter(|(_, symbol)| symbol.section == 0).any(|(name, _)| is_wanted(name))
    }

    /// Returns the symbol of that number, one of the object's own, and its name.
    fn number(&self, index: u32) -> Option<(Name<'_>, &Symbol)> {
        let strings = self.address(STRINGS)? as *const c_char;
        let symbols = self.address(SYMBOLS)? as *const Symbol;
        // SAFETY: the number is from the object's own tables, so its table of symbols has it, and a symbol's name is an offset in the
        // object's table of strings.
        unsafe {
            let symbol = &*symbols.wrapping_add(index as usize);
            Some((Name::at(strings.wrapping_add(symbol.name as usize)), symbol))
        }
    }

    /// Returns an address of the dynamic section, which the loader may have made absolute in place.
    fn address(&self, tag: usize) -> Option<usize> {
        self.entry(tag).map(|value| if value < self.base { self.base.wrapping_add(value) } else { value })
    }

    fn entry(&self, tag: usize) -> Option<usize> {
        let mut entry = self.dynamic;
        loop {
            // SAFETY: the dynamic section goes on until an entry of tag 0.
            let DynamicEntry { tag: this, value } = unsafe { *entry };
            if this == tag {
                return Some(value);
            }
            if this == 0 {
                return None;
            }
            entry = entry.wrapping_add(1);
        }
    }
}
