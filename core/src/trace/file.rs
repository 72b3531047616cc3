//! The file: a JSON array that is whole after each write, whatever becomes of the process or the disk after that.

use crate::os::never_waiting;
use std::fs::{File, OpenOptions};
use std::io::Result;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// The end of the array. Each write puts its elements in the place of the last one's.
const TAIL: &str = "\n]\n";

/// A JSON array on disk.
pub(super) struct ArrayFile {
    file: File,
    /// Where the tail begins.
    end: u64,
}

impl ArrayFile {
    /// Makes the file, or empties it, and writes the first element. Where that fails, the file is left empty.
    pub(super) fn create(path: &Path, first: &str) -> Result<ArrayFile> {
        // Opening must not wait for whoever reads, where the path is a pipe's.
        let mut options = OpenOptions::new();
        let file = never_waiting(options.write(true).create(true).truncate(true)).open(path)?;
        let mut array = ArrayFile { file, end: 0 };
        array.append(&mut format!("[\n{first}"))?;
        Ok(array)
    }

    /// Adds elements, each of which begins with a comma, and leaves `elements` empty. Where the disk has no room for them, the
    /// array ends before them.
    pub(super) fn append(&mut self, elements: &mut String) -> Result<()> {
        let added = elements.len() as u64;
        elements.push_str(TAIL);
        let written = self.file.write_all_at(elements.as_bytes(), self.end);
        elements.clear();
        match written {
            Ok(()) => self.end += added,
            // The tail has been there before.
            Err(_) if self.end > 0 => {
                let _ = self.file.set_len(self.end);
                let _ = self.file.write_all_at(TAIL.as_bytes(), self.end);
            }
            // A part of the array may have been written.
            Err(_) => drop(self.file.set_len(0)),
        }
        written
    }
}
