//! The loader's record of an object, and the object's references.

use crate::dynamic::{Dynamic, Entry, Name};
use core::ffi::c_char;
use core::slice;

/// The beginning of the loader's `struct link_map`.
#[repr(C)]
pub struct Object {
    base: usize,
    path: *const c_char,
    dynamic: *const Entry,
}

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
const REFERENCES: usize = 7;
const REFERENCES_SIZE: usize = 8;

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
        self.dynamic().symbol(name)
    }

    /// Returns whether one of the names is that of an undefined symbol to which the object refers other than by a procedure linkage
    /// table, whose references are in a table of their own.
    pub fn references_outside_plt(&self, is_wanted: impl Fn(Name<'_>) -> bool) -> bool {
        let dynamic = self.dynamic();
        let (Some(first), Some(bytes)) = (dynamic.address(REFERENCES), dynamic.entry(REFERENCES_SIZE)) else {
            return false;
        };
        // SAFETY: the dynamic section says where the references are, and how many bytes they take. They are mapped, and never written.
        let all = unsafe { slice::from_raw_parts(first as *const Reference, bytes / size_of::<Reference>()) };
        let symbols = all.iter().filter_map(|reference| dynamic.number((reference.info >> 32) as u32));
        symbols.filter(|(_, symbol)| symbol.section == 0).any(|(name, _)| is_wanted(name))
    }

    fn dynamic(&self) -> Dynamic {
        // SAFETY: the loader's record of a mapped object.
        unsafe { Dynamic::new(self.base, self.dynamic) }
    }
}
