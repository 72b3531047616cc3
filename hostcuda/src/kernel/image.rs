//! What the device code of programs and modules has: variables, the values with which they begin, and kernels. Compressed code is left out.

use super::{elf, ptx};
use crate::probe;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, CString};

/// What an image has, as far as it can be read.
pub(super) struct Contents {
    pub(super) variables: BTreeMap<CString, Declared>,
    pub(super) kernels: BTreeSet<CString>,
    /// How many bytes of first values there may still be in its texts.
    pub(super) room: usize,
}

impl Default for Contents {
    fn default() -> Contents {
        Contents { variables: BTreeMap::new(), kernels: BTreeSet::new(), room: ptx::MOST }
    }
}

/// A variable of an image.
pub(super) struct Declared {
    pub(super) len: usize,
    /// The bytes with which it begins; zeros follow.
    pub(super) first: Vec<u8>,
    /// Whether the host has it, too.
    pub(super) is_managed: bool,
}

/// What nvcc's code passes: a mark, a version, and the address of a fat binary.
#[repr(C)]
struct Wrapper {
    mark: u32,
    version: u32,
    binary: *const u8,
}

/// The longest image in memory that is read, and the most bytes that are read of a file.
pub(crate) const MOST: usize = 1 << 30;
/// How a wrapper and a fat binary begin.
const WRAPPER: u32 = 0x4662_43B1;
const BINARY: u32 = 0xBA55_ED50;

/// Reads an image of a file's.
pub(super) fn contents(image: &[u8]) -> Contents {
    let mut contents = Contents::default();
    if u32_at(image, 0) == Some(BINARY) {
        let head_len = u16_at(image, 6).map_or(0, usize::from);
        files(image.get(head_len..).unwrap_or_default()).for_each(|file| contents.add(file));
    } else {
        contents.add(image);
    }
    contents
}

/// Reads an image in memory. Its own lengths are not trusted: what is no memory is left out.
pub(super) fn contents_at(address: usize) -> Contents {
    contents(&copy_of(address).unwrap_or_default())
}

/// Copies an image, whose first bytes say what it is and how long.
fn copy_of(address: usize) -> Option<Vec<u8>> {
    let Some(head) = probe::copy(address, 16) else { return text_at(address) };
    match u32_at(&head, 0)? {
        WRAPPER => {
            let binary = usize::try_from(u64_at(&head, 8)?).ok()?;
            let head = probe::copy(binary, 16).filter(|head| u32_at(head, 0) == Some(BINARY))?;
            binary_at(binary, &head)
        }
        BINARY => binary_at(address, &head),
        elf::MARK => {
            let head = probe::copy(address, elf::HEAD)?;
            let (start, len) = elf::table(&head)?;
            let table = probe::copy(address.checked_add(start)?, len)?;
            copy(address, elf::end(&table)?.max(start + len))
        }
        _ => text_at(address),
    }
}

fn binary_at(address: usize, head: &[u8]) -> Option<Vec<u8>> {
    let head_len = usize::from(u16_at(head, 6)?);
    copy(address, head_len.checked_add(usize::try_from(u64_at(head, 8)?).ok()?)?)
}

/// Copies bytes of an image, which may say that it has more than there are.
fn copy(address: usize, len: usize) -> Option<Vec<u8>> {
    if len > MOST { None } else { probe::copy(address, len) }
}

/// Copies a text up to its terminating zero, if it is no longer than what is read of texts.
fn text_at(address: usize) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    while text.len() <= ptx::MOST {
        let at = address.checked_add(text.len())?;
        let piece = probe::copy(at, probe::PAGE - at % probe::PAGE)?;
        let end = piece.iter().position(|byte| *byte == 0);
        text.try_reserve(piece.len()).ok()?;
        text.extend_from_slice(&piece[..end.unwrap_or(piece.len())]);
        if end.is_some() {
            return Some(text);
        }
    }
    None
}

impl Contents {
    pub(super) fn is_empty(&self) -> bool {
        self.variables.is_empty() && self.kernels.is_empty()
    }

    /// Adds what a file of an image has: machine code or a text.
    fn add(&mut self, file: &[u8]) {
        if u32_at(file, 0) == Some(elf::MARK) {
            self.add_code(file);
        } else {
            ptx::read(file, self);
        }
    }

    /// Adds what machine code has, up to where the contents are longer than the file: then they overlap.
    fn add_code(&mut self, file: &[u8]) {
        let mut left = file.len();
        for symbol in elf::symbols(file).into_iter().flatten() {
            if symbol.is_variable() {
                let first = symbol.contents(file).unwrap_or_default();
                let Some(rest) = left.checked_sub(first.len()) else { return };
                left = rest;
                let mut copied = Vec::new();
                if copied.try_reserve_exact(first.len()).is_err() {
                    return;
                }
                copied.extend_from_slice(first);
                let declared = Declared { len: symbol.len, first: copied, is_managed: symbol.is_managed() };
                self.variables.entry(symbol.name.to_owned()).or_insert(declared);
            } else if symbol.is_kernel() {
                self.kernels.insert(symbol.name.to_owned());
            }
        }
    }
}

/// Returns the bytes with which a variable begins, if they are known and not zeros.
pub(super) fn initial_value(wrapper: usize, name: &CStr) -> Option<&'static [u8]> {
    let wrapper = wrapper as *const Wrapper;
    if wrapper.is_null() || !wrapper.is_aligned() {
        return None;
    }
    // SAFETY: nvcc's code passes a wrapper, which begins with its mark.
    if unsafe { (*wrapper).mark } != WRAPPER {
        return None;
    }
    // SAFETY: as above.
    let binary = unsafe { (*wrapper).binary };
    // SAFETY: a wrapper has the address of a fat binary, which begins with sixteen bytes.
    let head = unsafe { std::slice::from_raw_parts(binary, 16) };
    let head_len = usize::from(u16_at(head, 6)?);
    let len = usize::try_from(u64_at(head, 8)?).ok()?;
    if u32_at(head, 0)? != BINARY {
        return None;
    }
    // SAFETY: the fat binary's own lengths; it is part of the program, which stays loaded while it is registered, and after that its
    // variables are gone.
    let entries = unsafe { std::slice::from_raw_parts(binary, head_len.checked_add(len)?) };
    files(entries.get(head_len..)?).find_map(|file| elf::value(file, name))
}

/// Returns the files in a fat binary, each of which has a head.
fn files(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let head = u32_at(rest, 4)? as usize;
        let end = head.checked_add(usize::try_from(u64_at(rest, 8)?).ok()?)?;
        let file = rest.get(head..end)?;
        rest = rest.get(end.max(1)..)?;
        Some(file)
    })
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_le_bytes)
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::elf::tests::{file, overlapping};

    #[test]
    fn files_of_a_binary_follow_each_other() {
        let mut binary = Vec::new();
        for len in [3u64, 5] {
            binary.extend([0; 4]);
            binary.extend(16u32.to_le_bytes());
            binary.extend(len.to_le_bytes());
            binary.extend(vec![len as u8; len as usize]);
        }
        assert_eq!(files(&binary).map(<[u8]>::len).collect::<Vec<_>>(), [3, 5]);
        assert_eq!(files(&binary[..30]).count(), 1);
        assert_eq!(files(&[0xFF; 64]).count(), 0);
    }

    #[test]
    fn symbols_that_overlap_take_no_more_than_the_file() {
        for (names, len) in [(2000, 1), (10, 30_000)] {
            let file = overlapping(names, len);
            let contents = contents(&file);
            let taken = |(name, of): (&CString, &Declared)| (name.count_bytes(), of.first.len());
            let (names, values) =
                contents.variables.iter().map(taken).fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
            assert!(!contents.variables.is_empty() && names <= file.len() && values <= file.len());
        }
        assert_eq!(contents(&overlapping(1, 4)).variables.len(), 1);
    }

    #[test]
    fn the_texts_of_an_image_share_one_room() {
        let texts = ["one", "other", "small"].map(|name| match name {
            "small" => ".global .u8 small[] = {1, 2};".to_owned(),
            name => format!(".global .u8 {name}[2][{}] = {{{{}}, 1}};", ptx::MOST * 2 / 3),
        });
        let mut binary = [&BINARY.to_le_bytes()[..], &[1, 0, 16, 0], &[0; 8]].concat();
        for text in texts {
            binary.extend([&[0; 4][..], &16u32.to_le_bytes(), &(text.len() as u64).to_le_bytes()].concat());
            binary.extend(text.as_bytes());
        }
        let names: Vec<_> = contents(&binary).variables.into_keys().collect();
        assert_eq!(names, [c"one".to_owned(), c"small".to_owned()]);
    }

    #[test]
    fn what_is_no_wrapper_has_no_values() {
        assert_eq!(initial_value(0, c"x"), None);
        assert_eq!(initial_value([0u64; 4].as_ptr() as usize, c"x"), None);
        let mut binary = [&BINARY.to_le_bytes()[..], &[1, 0, 16, 0], &396u64.to_le_bytes(), &[0; 4]].concat();
        binary.extend([&16u32.to_le_bytes()[..], &380u64.to_le_bytes(), &file()].concat());
        let wrapper: &'static Wrapper =
            Box::leak(Box::new(Wrapper { mark: WRAPPER, version: 1, binary: binary.leak().as_ptr() }));
        assert_eq!(initial_value(std::ptr::from_ref(wrapper) as usize, c"x"), Some(&7u32.to_le_bytes()[..]));
    }
}
