//! The dynamic section of a loaded object, and the symbols that the object defines. Allocates nothing and calls no library: the audit
//! library has none, and in the drop-in a malloc that is about to start may be the first to need it.

use core::ffi::c_char;
use core::slice;

/// An entry of the section.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Entry {
    tag: usize,
    value: usize,
}

/// Elf64_Sym
#[repr(C)]
pub struct Symbol {
    name: u32,
    _info: u8,
    _other: u8,
    pub section: u16,
    /// In what the loader hands to an auditor, the address.
    pub value: usize,
    _size: u64,
}
const _: () = assert!(size_of::<Symbol>() == 24);

const HASH: usize = 4;
const STRINGS: usize = 5;
const SYMBOLS: usize = 6;
const GNU_HASH: usize = 0x6fff_fef5;
const VERSIONS: usize = 0x6fff_fff0;

/// In a symbol's version: found only by a lookup of this very version.
const HIDDEN: u16 = 0x8000;

/// The bytes of a C string. There may be no libc to find its end or to compare it.
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

/// The dynamic section of an object that stays loaded.
#[derive(Clone, Copy)]
pub struct Dynamic {
    base: usize,
    entries: *const Entry,
}

impl Dynamic {
    /// # Safety
    /// The object is loaded at `base` and stays loaded, and `entries` is its dynamic section.
    pub unsafe fn new(base: usize, entries: *const Entry) -> Dynamic {
        Dynamic { base, entries }
    }

    /// Returns the address of the function or variable of that name that the object exports.
    pub fn symbol(self, name: Name<'_>) -> Option<usize> {
        let versions = self.address(VERSIONS).map(|versions| versions as *const u16);
        let fits = |index: u32| {
            // SAFETY: the number comes from the object's hash table, and there is one version for each symbol.
            let is_hidden = versions.is_some_and(|all| unsafe { *all.wrapping_add(index as usize) } & HIDDEN != 0);
            let (this, symbol) = self.number(index)?;
            let is_defined = symbol.section != 0 && symbol.value != 0;
            (is_defined && !is_hidden && this.is(name.0)).then(|| self.base.wrapping_add(symbol.value))
        };
        match self.address(GNU_HASH) {
            Some(table) => gnu(table as *const u32, name, fits),
            None => plain(self.address(HASH)? as *const u32, fits),
        }
    }

    /// Returns the symbol of that number, one of the object's own, and its name.
    pub fn number<'a>(self, index: u32) -> Option<(Name<'a>, &'a Symbol)> {
        let strings = self.address(STRINGS)? as *const c_char;
        let symbols = self.address(SYMBOLS)? as *const Symbol;
        // SAFETY: the number is from the object's own tables, so its table of symbols has it, and a symbol's name is an offset in the
        // object's table of strings.
        unsafe {
            let symbol = &*symbols.wrapping_add(index as usize);
            Some((Name::at(strings.wrapping_add(symbol.name as usize)), symbol))
        }
    }

    /// Returns an address of the section, which the loader may have made absolute in place.
    pub fn address(self, tag: usize) -> Option<usize> {
        self.entry(tag).map(|value| if value < self.base { self.base.wrapping_add(value) } else { value })
    }

    pub fn entry(self, tag: usize) -> Option<usize> {
        let mut entry = self.entries;
        loop {
            // SAFETY: the dynamic section goes on until an entry of tag 0.
            let Entry { tag: this, value } = unsafe { *entry };
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

/// Looks up a name in a table of GNU's form. It has four counts, a filter, the first symbol of each bucket, and the hash of each symbol.
/// The last bit of a hash ends a bucket.
fn gnu<T>(table: *const u32, name: Name<'_>, fits: impl Fn(u32) -> Option<T>) -> Option<T> {
    // SAFETY: the table begins with these four.
    let [buckets, first, filter, _] = unsafe { table.cast::<[u32; 4]>().read() };
    let bytes = name.0.iter();
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
