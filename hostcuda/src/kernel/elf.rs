//! Machine code of devices: ELF files, of which the symbols are read.

use super::image::{u16_at, u32_at, u64_at};
use std::ffi::CStr;

/// How such a file begins, and how long its head is.
pub(super) const MARK: u32 = u32::from_le_bytes(*b"\x7FELF");
pub(super) const HEAD: usize = 64;

/// Sections: one with contents, the table of symbols, and one whose contents are zeros.
const CONTENTS: u32 = 1;
const SYMBOLS: u32 = 2;
const ZEROS: u32 = 8;
/// The bytes of a section's head.
const SECTION: usize = 64;

/// Kinds of symbols: a variable and a function; and what marks a variable as managed and a function as a kernel.
const VARIABLE: u8 = 1;
const FUNCTION: u8 = 2;
const MANAGED: u8 = 4;
const KERNEL: u8 = 0x10;

/// A symbol.
pub(super) struct Symbol<'a> {
    pub(super) name: &'a CStr,
    pub(super) len: usize,
    kind: u8,
    other: u8,
    home: usize,
    start: usize,
}

impl<'a> Symbol<'a> {
    fn read(names: &'a [u8], symbol: &[u8]) -> Option<Symbol<'a>> {
        let name = CStr::from_bytes_until_nul(names.get(u32_at(symbol, 0)? as usize..)?).ok()?;
        let [kind, other] = [4, 5].map(|at| symbol.get(at).copied());
        Some(Symbol {
            name,
            len: usize::try_from(u64_at(symbol, 16)?).ok()?,
            kind: kind? & 15,
            other: other?,
            home: usize::from(u16_at(symbol, 6)?),
            start: usize::try_from(u64_at(symbol, 8)?).ok()?,
        })
    }

    /// Returns whether it is a variable that the file has itself.
    pub(super) fn is_variable(&self) -> bool {
        self.kind == VARIABLE && self.home != 0 && self.len != 0
    }

    pub(super) fn is_managed(&self) -> bool {
        self.other & MANAGED != 0
    }

    pub(super) fn is_kernel(&self) -> bool {
        self.kind == FUNCTION && self.other & KERNEL != 0
    }

    /// Returns the bytes that the file has for it; `None` if they are zeros.
    pub(super) fn contents<'b>(&self, file: &'b [u8]) -> Option<&'b [u8]> {
        let home = section(file, self.home)?;
        if u32_at(home, 4)? != CONTENTS {
            return None;
        }
        contents(file, home)?.get(self.start..self.start.checked_add(self.len)?)
    }
}

/// Returns the symbols of a file, up to where their names are longer than the file: then they overlap.
pub(super) fn symbols(file: &[u8]) -> Option<impl Iterator<Item = Symbol<'_>>> {
    file.strip_prefix(b"\x7FELF\x02")?;
    let is_table = |at: &usize| section(file, *at).is_some_and(|of| u32_at(of, 4) == Some(SYMBOLS));
    let table = section(file, (0..usize::from(u16_at(file, 60)?)).find(is_table)?)?;
    let names = contents(file, section(file, u32_at(table, 40)? as usize)?)?;
    let names = &names[..=names.iter().rposition(|byte| *byte == 0)?];
    let mut left = file.len();
    let has_room = move |symbol: &Symbol<'_>| {
        let rest = left.checked_sub(symbol.name.count_bytes());
        left = rest.unwrap_or_default();
        rest.is_some()
    };
    let symbols = contents(file, table)?.chunks_exact(24);
    Some(symbols.filter_map(move |symbol| Symbol::read(names, symbol)).take_while(has_room))
}

/// Returns the contents of a symbol.
pub(super) fn value<'a>(file: &'a [u8], name: &CStr) -> Option<&'a [u8]> {
    symbols(file)?.find(|symbol| symbol.name == name)?.contents(file)
}

/// Returns where the table of sections begins, and how long it is.
pub(super) fn table(head: &[u8]) -> Option<(usize, usize)> {
    let start = usize::try_from(u64_at(head, 40)?).ok()?;
    let len = usize::from(u16_at(head, 60)?) * SECTION;
    start.checked_add(len).map(|_| (start, len))
}

/// Returns where the last section ends.
pub(super) fn end(table: &[u8]) -> Option<usize> {
    let with_contents = table.chunks_exact(SECTION).filter(|section| u32_at(section, 4) != Some(ZEROS));
    let ends = with_contents.map(|section| u64_at(section, 24)?.checked_add(u64_at(section, 32)?));
    usize::try_from(ends.collect::<Option<Vec<u64>>>()?.into_iter().max().unwrap_or_default()).ok()
}

/// Returns the head of a section.
fn section(file: &[u8], number: usize) -> Option<&[u8]> {
    let table = usize::try_from(u64_at(file, 40)?).ok()?;
    file.get(table.checked_add(number.checked_mul(SECTION)?)?..)?.get(..SECTION)
}

/// Returns what is in a section.
fn contents<'a>(file: &'a [u8], section: &[u8]) -> Option<&'a [u8]> {
    let start = usize::try_from(u64_at(section, 24)?).ok()?;
    file.get(start..start.checked_add(usize::try_from(u64_at(section, 32)?).ok()?)?)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A file with the variable `x`, whose value is 7, in a fat binary's head.
    pub(in crate::kernel) fn file() -> Vec<u8> {
        let mut file = vec![0; 64 + 4 * 64 + 48 + 8 + 4];
        let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, b"\x7fELF\x02");
        put(40, &64u64.to_le_bytes());
        put(60, &4u16.to_le_bytes());
        for (number, kind, start, len, link) in
            [(1, SYMBOLS, 320u64, 48u64, 2u32), (2, 3, 368, 8, 0), (3, CONTENTS, 376, 4, 0)]
        {
            let head = 64 + number * 64;
            put(head + 4, &kind.to_le_bytes());
            put(head + 24, &start.to_le_bytes());
            put(head + 32, &len.to_le_bytes());
            put(head + 40, &link.to_le_bytes());
        }
        put(344, &1u32.to_le_bytes());
        put(350, &3u16.to_le_bytes());
        put(360, &4u64.to_le_bytes());
        put(368, b"\0x\0y\0");
        put(376, &7u32.to_le_bytes());
        file
    }

    /// A file with so many variables, whose names are each other's ends, and whose contents are the same bytes of the file.
    pub(in crate::kernel) fn overlapping(count: usize, len: usize) -> Vec<u8> {
        let mut file = file();
        let names = file.len();
        file.extend(vec![b'a'; count.max(len)]);
        file.push(0);
        let table = file.len();
        for name in 0..count {
            let symbol = [&(name as u32).to_le_bytes()[..], &[1, 0, 3, 0], &[0; 8], &(len as u64).to_le_bytes()];
            file.extend(symbol.concat());
        }
        for (number, start, end) in [(1, table, file.len()), (2, names, table), (3, names, table)] {
            let head = 64 + number * 64;
            file[head + 24..][..8].copy_from_slice(&(start as u64).to_le_bytes());
            file[head + 32..][..8].copy_from_slice(&((end - start) as u64).to_le_bytes());
        }
        file
    }

    #[test]
    fn values_are_found_by_their_names() {
        assert_eq!(value(&file(), c"x"), Some(&7u32.to_le_bytes()[..]));
        assert_eq!(value(&file(), c"y"), None);
        assert_eq!(value(b"no such file", c"x"), None);
    }

    #[test]
    fn a_file_that_is_cut_off_or_wrong_has_no_values() {
        let whole = file();
        for len in 0..whole.len() - 1 {
            assert_eq!(value(&whole[..len], c"x"), None, "{len}");
        }
        for at in 0..whole.len() {
            let mut wrong = whole.clone();
            wrong[at] = 0xFF;
            let _ = value(&wrong, c"x");
        }
    }
}
