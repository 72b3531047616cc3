//! The one trace of a process: its beginning, the thread that writes it, and its end.

use super::buffer::{BUFFER, MOST, TraceEntry};
use super::document::Document;
use super::env::{MOST_NAMES, name_in_turn, path_of};
use super::file::TraceFile;
use super::{os, tracks};
use gevt_core::lock::{Condvar, Mutex};
use gevt_core::probe::now;
use gevt_core::{Error, Result};
use gevt_core::{lifecycle, probe};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Text that is gathered before it goes to the file, and room for what one entry makes of it.
const CHUNK: usize = 1 << 18;
const ROOM: usize = 1 << 14;
/// How long an exiting process waits for the file.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether there is a trace that no call has ended. Locked during a call that begins or ends one, and only tried: another such call is refused.
static IS_THERE: Mutex<bool> = Mutex::new(false);

/// How far the thread that writes has come.
static PROGRESS: Mutex<Progress> = Mutex::new(Progress::Starting);
static CHANGED: Condvar = Condvar::new();

#[derive(Clone, Copy)]
enum Progress {
    /// The file is being made.
    Starting,
    Running,
    /// The file is complete, could not be made, or could not be written.
    Ended(Outcome),
}

/// The result of a trace; the number is the system's of an error.
type Outcome = std::result::Result<Written, i32>;

/// What a trace has written.
#[derive(Clone, Copy)]
pub(crate) struct Written {
    pub(crate) entries: u64,
    pub(crate) lost: u64,
}

pub(crate) fn number_of(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(os::IO_ERROR)
}

/// Begins the trace that GEVT_TRACE asks for, if it does; a line on the standard error stream says why it cannot.
pub(crate) fn start_asked() {
    let Some(variable) = os::trusted_variable("GEVT_TRACE").filter(|variable| !variable.is_empty()) else { return };
    if let Err(error) = start(path_of(&variable, std::process::id()), true) {
        complain(&error);
    }
}

/// The program has not set a log function yet.
fn complain(error: &Error) {
    let _ = writeln!(io::stderr(), "gevt: there is no trace as GEVT_TRACE asks for: {error}");
}

/// Begins the trace; `asked` by GEVT_TRACE. The file is made on the thread that is started: a file that is longer than the process may make brings a signal, which gevt's
/// threads block.
pub(crate) fn start(path: PathBuf, asked: bool) -> Result<()> {
    let mut is_there = IS_THERE.try_lock().filter(|is_there| !**is_there).ok_or(Error::Tracing)?;
    *PROGRESS.lock() = Progress::Starting;
    if !lifecycle::start_thread("gevt-trace", move || end(write_trace(&path, asked))) {
        return Err(Error::OutOfMemory);
    }
    if let Progress::Ended(Err(error)) = wait_while(|progress| matches!(progress, Progress::Starting), None) {
        return Err(Error::File(error));
    }
    *is_there = true;
    Ok(())
}

/// Waits while the progress is such, or until the deadline; returns the progress.
fn wait_while(is_such: fn(&Progress) -> bool, deadline: Option<Instant>) -> Progress {
    let mut progress = PROGRESS.lock();
    while is_such(&progress) && deadline.is_none_or(|at| Instant::now() < at) {
        (progress, _) = CHANGED.wait_for(progress, PATIENCE);
    }
    *progress
}

fn has_not_ended(progress: &Progress) -> bool {
    !matches!(progress, Progress::Ended(_))
}

/// Makes the file and writes it.
fn write_trace(path: &Path, asked: bool) -> Outcome {
    let process = std::process::id();
    let file = make_file(path, asked, process).map_err(|error| number_of(&error))?;
    let mut writer = Writer {
        file,
        text: String::with_capacity(CHUNK + ROOM),
        document: Document::new(process, now()),
        written: Written { entries: 0, lost: 0 },
    };
    BUFFER.open(Vec::with_capacity(MOST));
    let mut progress = PROGRESS.lock();
    *progress = Progress::Running;
    probe::set_tracing(true);
    CHANGED.notify_all();
    drop(progress);
    let result = writer.run(Vec::with_capacity(MOST));
    if let Err(error) = result
        && asked
    {
        complain(&Error::File(error));
    }
    result
}

/// Makes the file; under another name if GEVT_TRACE asked for it and another trace is being written to that one.
fn make_file(path: &Path, asked: bool, process: u32) -> io::Result<TraceFile> {
    let mut turn = 1;
    loop {
        match TraceFile::create(&name_in_turn(path, turn), &mut tracks::head(process)) {
            Err(error) if asked && error.raw_os_error() == Some(os::LOCKED) && turn < MOST_NAMES => turn += 1,
            made => return made,
        }
    }
}

/// Ends the trace and waits until it is written.
pub(crate) fn stop() -> Result<Written> {
    let mut is_there = IS_THERE.try_lock().filter(|is_there| **is_there).ok_or(Error::NotTracing)?;
    probe::set_tracing(false);
    BUFFER.close(None);
    *is_there = false;
    let Progress::Ended(outcome) = wait_while(has_not_ended, None) else { return Err(Error::Internal) };
    outcome.map_err(Error::File)
}

/// Ends the trace of a process that exits. Waits, but not for ever.
pub(crate) fn finish() {
    let deadline = Instant::now() + PATIENCE;
    let is_there = IS_THERE.try_lock_until(deadline).filter(|is_there| **is_there);
    if is_there.is_some() && BUFFER.close(Some(deadline)) {
        wait_while(has_not_ended, Some(deadline));
    }
}

/// The trace has ended, or could not begin.
fn end(outcome: Outcome) {
    let mut progress = PROGRESS.lock();
    probe::set_tracing(false);
    *progress = Progress::Ended(outcome);
    CHANGED.notify_all();
}

/// What the writing thread has.
struct Writer {
    file: TraceFile,
    text: String,
    document: Document,
    written: Written,
}

impl Writer {
    /// Writes until the buffer is closed, or until the file cannot be written.
    fn run(&mut self, mut list: Vec<TraceEntry>) -> Outcome {
        loop {
            let taken = BUFFER.take(&mut list);
            if let Err(error) = self.write(&mut list, taken.lost) {
                BUFFER.close(None);
                BUFFER.take(&mut list);
                return Err(number_of(&error));
            }
            if taken.is_last {
                return Ok(self.written);
            }
        }
    }

    fn write(&mut self, list: &mut Vec<TraceEntry>, lost: u64) -> io::Result<()> {
        self.written.entries += list.len() as u64;
        self.written.lost += lost;
        for entry in list.drain(..) {
            self.document.add(&mut self.text, &entry);
            if self.text.len() >= CHUNK {
                self.file.append(&mut self.text)?;
            }
        }
        if lost > 0 {
            self.document.lost(&mut self.text, now(), lost);
        }
        if self.text.is_empty() { Ok(()) } else { self.file.append(&mut self.text) }
    }
}
