//! Device machine code: ELF files. Reads the names of their variables and kernels.

use super::image::{Contents, Declared, u16_at, u32_at, u64_at};
use std::ffi::CStr;

/// The magic number and the length of the ELF header.
pub(super) const MARK: u32 = u32::from_le_bytes(*b"\x7FELF");
pub(super) const HEAD: usize = 64;

/// The sizes of a section header and of a symbol.
const SECTION: usize = 64;
const SYMBOL: usize = 24;
/// Section types: the symbol table, and a section without bytes in the file.
const SYMBOLS: u32 = 2;
const NO_BYTES: u32 = 8;
/// Symbol types: a variable and a function. The marks of a managed variable and of a kernel.
const VARIABLE: u8 = 1;
const FUNCTION: u8 = 2;
const MANAGED: u8 = 4;
const KERNEL: u8 = 0x10;

/// Adds the names of a file. Stops when they are longer than the file, because then they overlap.
pub(super) fn read(file: &[u8], to: &mut Contents) -> Option<()> {
    file.strip_prefix(b"\x7FELF\x02")?;
    let is_table = |at: &usize| section(file, *at).is_some_and(|of| u32_at(of, 4) == Some(SYMBOLS));
    let table = section(file, (0..usize::from(u16_at(file, 60)?)).find(is_table)?)?;
    let names = contents(file, section(file, u32_at(table, 40)? as usize)?)?;
    let names = &names[..=names.iter().rposition(|byte| *byte == 0)?];
    let mut left = file.len();
    for symbol in contents(file, table)?.chunks_exact(SYMBOL) {
        let start = names.get(u32_at(symbol, 0)? as usize..);
        let Some(name) = start.and_then(|start| CStr::from_bytes_until_nul(start).ok()) else { continue };
        left = left.checked_sub(name.count_bytes())?;
        let (kind, other, len) = (symbol[4] & 15, symbol[5], usize::try_from(u64_at(symbol, 16)?).ok()?);
        let is_defined = u16_at(symbol, 6)? != 0;
        if kind == VARIABLE && is_defined && len != 0 {
            let declared = Declared { len, is_managed: other & MANAGED != 0 };
            to.variables.entry(name.to_owned()).or_insert(declared);
        } else if kind == FUNCTION && other & KERNEL != 0 {
            to.kernels.insert(name.to_owned());
        }
    }
    Some(())
}

/// Returns the offset and the length of the section table.
pub(super) fn table(head: &[u8]) -> Option<(usize, usize)> {
    let start = usize::try_from(u64_at(head, 40)?).ok()?;
    let len = usize::from(u16_at(head, 60)?) * SECTION;
    start.checked_add(len).map(|_| (start, len))
}

/// Returns the end of the last section.
pub(super) fn end(table: &[u8]) -> Option<usize> {
    let with_bytes = table.chunks_exact(SECTION).filter(|section| u32_at(section, 4) != Some(NO_BYTES));
    let ends = with_bytes.map(|section| u64_at(section, 24)?.checked_add(u64_at(section, 32)?));
    usize::try_from(ends.collect::<Option<Vec<u64>>>()?.into_iter().max().unwrap_or_default()).ok()
}

/// Returns a section's header.
fn section(file: &[u8], number: usize) -> Option<&[u8]> {
    let table = usize::try_from(u64_at(file, 40)?).ok()?;
    file.get(table.checked_add(number.checked_mul(SECTION)?)?..)?.get(..SECTION)
}

/// Returns a section's contents.
fn contents<'a>(file: &'a [u8], section: &[u8]) -> Option<&'a [u8]> {
    let start = usize::try_from(u64_at(section, 24)?).ok()?;
    file.get(start..start.checked_add(usize::try_from(u64_at(section, 32)?).ok()?)?)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A file with `count` variables of that length, with names that overlap.
    pub(in crate::kernel) fn file(count: usize, len: usize) -> Vec<u8> {
        let mut file = vec![0; HEAD + 3 * SECTION];
        file[..5].copy_from_slice(b"\x7FELF\x02");
        file[40] = HEAD as u8;
        file[60] = 3;
        let names = file.len();
        file.extend(vec![b'x'; count]);
        file.push(0);
        let table = file.len();
        for name in 0..count {
            let symbol = [&(name as u32).to_le_bytes()[..], &[VARIABLE, 0, 2, 0], &[0; 8], &(len as u64).to_le_bytes()];
            file.extend(symbol.concat());
        }
        for (number, kind, start, end) in [(1, SYMBOLS, table, file.len()), (2, 3, names, table)] {
            let head = HEAD + number * SECTION;
            file[head + 4..][..4].copy_from_slice(&kind.to_le_bytes());
            file[head + 24..][..8].copy_from_slice(&(start as u64).to_le_bytes());
            file[head + 32..][..8].copy_from_slice(&((end - start) as u64).to_le_bytes());
            file[head + 40] = 2;
        }
        file
    }

    fn names(file: &[u8]) -> usize {
        let mut contents = Contents::default();
        read(file, &mut contents);
        contents.variables.keys().map(|name| name.count_bytes()).sum()
    }

    #[test]
    fn a_file_that_is_cut_off_or_wrong_is_read_as_far_as_it_goes() {
        let whole = file(1, 4);
        assert_eq!(names(&whole), 1);
        for len in 0..whole.len() - 1 {
            assert_eq!(names(&whole[..len]), 0, "{len}");
        }
        for at in 0..whole.len() {
            let mut wrong = whole.clone();
            wrong[at] = 0xFF;
            let _ = names(&wrong);
        }
    }

    #[test]
    fn names_that_overlap_take_no_more_than_the_file() {
        let file = file(2000, 1);
        assert!((1..=file.len()).contains(&names(&file)));
    }
}
