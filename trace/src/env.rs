//! The trace that the environment asks for: GEVT_TRACE names its file.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// How many processes, and libraries of one process, find a name at once.
pub(super) const MOST_NAMES: u32 = 1000;

/// The file that the variable names: %p stands for the number of the process, and %% for a per cent sign.
pub(super) fn path_of(variable: &OsStr, process: u32) -> PathBuf {
    let mut bytes = variable.as_encoded_bytes().iter().copied().peekable();
    let mut path = Vec::new();
    while let Some(byte) = bytes.next() {
        match (byte, bytes.peek()) {
            (b'%', Some(b'p')) => path.extend(process.to_string().bytes()),
            (b'%', Some(b'%')) => path.push(b'%'),
            _ => {
                path.push(byte);
                continue;
            }
        }
        bytes.next();
    }
    // SAFETY: what `as_encoded_bytes` returned, with ASCII in the place of ASCII.
    unsafe { OsString::from_encoded_bytes_unchecked(path) }.into()
}

/// The name that is tried in that turn, from 1 up: the path itself, then with a number before its extension.
pub(super) fn name_in_turn(path: &Path, turn: u32) -> PathBuf {
    if turn == 1 {
        return path.to_path_buf();
    }
    let extension = path.extension().unwrap_or_default();
    let mut numbered = OsString::from(turn.to_string());
    if !extension.is_empty() {
        numbered.push(".");
        numbered.push(extension);
    }
    path.with_extension(numbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_the_process_is_put_in() {
        let path = |variable: &str| path_of(OsStr::new(variable), 42).into_os_string().into_string();
        let pairs = [
            ("a.json", "a.json"),
            ("%p", "42"),
            ("a-%p-%p.json", "a-42-42.json"),
            ("%%p%x%", "%p%x%"),
            ("%%%p", "%42"),
        ];
        for (variable, expected) in pairs {
            assert_eq!(path(variable).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let turn = |path: &str, turn| name_in_turn(Path::new(path), turn).to_string_lossy().into_owned();
        assert_eq!(turn("a/b.json", 1), "a/b.json");
        assert_eq!(turn("a/b.json", 2), "a/b.2.json");
        assert_eq!(turn("a.d/b", 13), "a.d/b.13");
    }
}
