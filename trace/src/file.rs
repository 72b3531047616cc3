//! The file: a JSON object that is complete after each write.

use super::os::{beyond_standard, close_number, lock_file, never_waiting, number_of_file, write_all_at};
use std::fs::{File, OpenOptions};
use std::io::Result;
use std::path::Path;
use std::sync::atomic::{AtomicI32, Ordering};

/// The end of the array of elements, and of the object. Each write puts its elements in the place of the last one's.
const TAIL: &str = "\n]}\n";

/// The descriptor of the trace under way, or none.
static WRITTEN: AtomicI32 = AtomicI32::new(NONE);
const NONE: i32 = -1;

/// Closes the file in the child of a fork, which writes nothing, and would keep the file locked.
///
/// # Safety
/// This must be the child of a fork, before it has other threads.
pub(crate) unsafe fn leave() {
    let number = WRITTEN.swap(NONE, Ordering::Relaxed);
    if number != NONE {
        // SAFETY: the file belongs to the parent's writer thread, which this process does not have.
        unsafe { close_number(number) };
    }
}

impl Drop for TraceFile {
    fn drop(&mut self) {
        WRITTEN.store(NONE, Ordering::Relaxed);
    }
}

/// A trace on disk.
pub(super) struct TraceFile {
    file: File,
    /// Where the tail begins.
    end: u64,
}

impl TraceFile {
    /// Creates or empties the file and writes its head. If that fails, the file is empty, or unchanged if another trace is being written to it.
    pub(super) fn create(path: &Path, head: &mut String) -> Result<TraceFile> {
        // Opening a pipe must not wait for its reader.
        let mut options = OpenOptions::new();
        let opened = never_waiting(options.write(true).create(true).truncate(false)).open(path)?;
        // A program that has closed its output would print into the trace.
        let file = beyond_standard(opened)?;
        // A device, such as /dev/null, may be shared.
        if file.metadata().is_ok_and(|about| about.is_file()) {
            lock_file(&file)?;
            if file.metadata()?.len() > 0 {
                file.set_len(0)?;
            }
        }
        let mut trace = TraceFile { file, end: 0 };
        trace.append(head)?;
        WRITTEN.store(number_of_file(&trace.file), Ordering::Relaxed);
        Ok(trace)
    }

    /// Adds elements, each of which begins with a comma, and leaves `elements` empty. Where the disk has no room for them, the
    /// array ends before them.
    pub(super) fn append(&mut self, elements: &mut String) -> Result<()> {
        let added = elements.len() as u64;
        elements.push_str(TAIL);
        let written = write_all_at(&self.file, elements.as_bytes(), self.end);
        elements.clear();
        match written {
            Ok(()) => self.end += added,
            // The tail has been there before.
            Err(_) if self.end > 0 => {
                let _ = self.file.set_len(self.end);
                let _ = write_all_at(&self.file, TAIL.as_bytes(), self.end);
            }
            // A part of the array may have been written.
            Err(_) => drop(self.file.set_len(0)),
        }
        written
    }
}
