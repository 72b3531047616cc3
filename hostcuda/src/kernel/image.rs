//! The device code that nvcc puts into programs. Of it the values are read with which variables begin; compressed code is left out.

use std::ffi::CStr;

/// What nvcc's code passes: a mark, a version, and the address of a fat binary.
#[repr(C)]
struct Wrapper {
    mark: u32,
    version: u32,
    binary: *const u8,
}

/// How a wrapper and a fat binary begin.
const WRAPPER: u32 = 0x4662_43B1;
const BINARY: u32 = 0xBA55_ED50;

/// Sections of an ELF file: one with contents, and the table of symbols.
const CONTENTS: u32 = 1;
const SYMBOLS: u32 = 2;

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
    files(entries.get(head_len..)?).find_map(|file| value(file, name))
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

/// Returns the contents of a symbol of an ELF file.
fn value<'a>(file: &'a [u8], name: &CStr) -> Option<&'a [u8]> {
    file.strip_prefix(b"\x7FELF\x02")?;
    let symbols =
        (0..sections(file)?).find(|at| section(file, *at).is_some_and(|of| u32_at(of, 4) == Some(SYMBOLS)))?;
    let symbols = section(file, symbols)?;
    let names = contents(file, section(file, u32_at(symbols, 40)? as usize)?)?;
    let is_it = |symbol: &&[u8]| {
        let text = u32_at(symbol, 0).and_then(|at| names.get(at as usize..));
        text.and_then(|text| CStr::from_bytes_until_nul(text).ok()) == Some(name)
    };
    let symbol = contents(file, symbols)?.chunks_exact(24).find(is_it)?;
    let home = section(file, usize::from(u16_at(symbol, 6)?))?;
    if u32_at(home, 4)? != CONTENTS {
        return None;
    }
    let start = u64_at(symbol, 8)? as usize;
    contents(file, home)?.get(start..start.checked_add(u64_at(symbol, 16)? as usize)?)
}

fn sections(file: &[u8]) -> Option<usize> {
    u16_at(file, 60).map(usize::from)
}

/// Returns the head of a section.
fn section(file: &[u8], number: usize) -> Option<&[u8]> {
    let table = usize::try_from(u64_at(file, 40)?).ok()?;
    file.get(table.checked_add(number.checked_mul(64)?)?..)?.get(..64)
}

/// Returns what is in a section.
fn contents<'a>(file: &'a [u8], section: &[u8]) -> Option<&'a [u8]> {
    let start = usize::try_from(u64_at(section, 24)?).ok()?;
    file.get(start..start.checked_add(usize::try_from(u64_at(section, 32)?).ok()?)?)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with the variable `x`, whose value is 7, in a fat binary's head.
    fn file() -> Vec<u8> {
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
