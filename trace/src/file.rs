//! The file: a JSON object that is complete after each write.

use super::os;
use std::fs::File;
use std::io::{Result, Seek, SeekFrom, Write};
use std::path::Path;

/// The end of the array of elements, and of the object. Each write puts its elements in the place of the last one's.
const TAIL: &str = "\n]}\n";

/// A trace on disk.
pub(super) struct TraceFile {
    file: File,
    /// Where the tail begins.
    end: u64,
}

impl Drop for TraceFile {
    fn drop(&mut self) {
        // The children of forks have the file open as well.
        let _ = self.file.unlock();
    }
}

impl TraceFile {
    /// Creates or empties the file and writes its head. If that fails, the file is empty, or unchanged if another trace is being written to it.
    pub(super) fn create(path: &Path, head: &mut String) -> Result<TraceFile> {
        // std makes copies beyond the descriptors of the standard streams: a program that has closed its output would print into the trace.
        let file = os::open(path)?.try_clone()?;
        // A device, such as /dev/null, may be shared.
        if file.metadata().is_ok_and(|about| about.is_file()) {
            os::lock(&file)?;
            if file.metadata()?.len() > 0 {
                file.set_len(0)?;
            }
        }
        let mut trace = TraceFile { file, end: 0 };
        trace.append(head)?;
        Ok(trace)
    }

    /// Adds elements, each of which begins with a comma, and leaves `elements` empty. Where the disk has no room for them, the
    /// array ends before them.
    pub(super) fn append(&mut self, elements: &mut String) -> Result<()> {
        let added = elements.len() as u64;
        elements.push_str(TAIL);
        let written = self.write(elements);
        elements.clear();
        match written {
            Ok(()) => self.end += added,
            // The tail has been there before.
            Err(_) if self.end > 0 => {
                let _ = self.file.set_len(self.end);
                let _ = self.write(TAIL);
            }
            // A part of the array may have been written.
            Err(_) => drop(self.file.set_len(0)),
        }
        written
    }

    /// Writes at the place of the tail.
    fn write(&mut self, text: &str) -> Result<()> {
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(text.as_bytes())
    }
}
