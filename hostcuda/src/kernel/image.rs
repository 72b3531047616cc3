//! The variables and kernels of a module's device code. Compressed code is ignored.

use super::{elf, ptx};
use crate::probe;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CString;

/// The readable contents of an image.
#[derive(Default)]
pub(super) struct Contents {
    pub(super) variables: BTreeMap<CString, Declared>,
    pub(super) kernels: BTreeSet<CString>,
}

pub(super) struct Declared {
    pub(super) len: usize,
    /// Whether the host also accesses it.
    pub(super) is_managed: bool,
}

/// The size limit of an image in memory, and of a file.
pub(crate) const MOST: usize = 1 << 30;
/// The magic numbers of a wrapper and of a fat binary.
const WRAPPER: u32 = 0x4662_43B1;
const BINARY: u32 = 0xBA55_ED50;

/// Reads an image from a file.
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

/// Reads an image in memory. Does not trust the image's own lengths: unmapped memory is ignored.
pub(super) fn contents_at(address: usize) -> Contents {
    contents(&copy_of(address).unwrap_or_default())
}

/// Copies an image. Its first bytes give its type and length.
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

/// Copies bytes of an image, which may claim more than are mapped.
fn copy(address: usize, len: usize) -> Option<Vec<u8>> {
    if len > MOST { None } else { probe::copy(address, len) }
}

/// Copies a zero-terminated text, up to the length limit of texts.
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

    /// Adds the contents of a file in an image: machine code or a text.
    fn add(&mut self, file: &[u8]) {
        if u32_at(file, 0) == Some(elf::MARK) {
            let _ = elf::read(file, self);
        } else {
            ptx::read(file, self);
        }
    }
}

/// Returns the files in a fat binary. Each has a header.
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
}
