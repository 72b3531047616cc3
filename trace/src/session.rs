//! The one trace of a process: its beginning, the thread that writes it, and its end.

use super::buffer::{BUFFER, MOST, TraceEntry};
use super::document::Document;
use super::env::{MOST_NAMES, name_in_turn, path_of};
use super::file::TraceFile;
use super::{os, tracks};
use gevt_core::lock::Mutex;
use gevt_core::probe::now;
use gevt_core::{Error, Result};
use gevt_core::{lifecycle, probe};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Text that is gathered before it goes to the file, and room for what one entry makes of it.
const CHUNK: usize = 1 << 18;
const ROOM: usize = 1 << 14;
/// How long entries gather before they are written.
const PAUSE: Duration = Duration::from_millis(10);
/// How long an exiting process waits for the file.
const PATIENCE: Duration = Duration::from_secs(2);

/// The trace that no call has ended: its thread sends the outcome when the file is complete. Locked during a call that begins or ends a trace,
/// and only tried: another such call is refused.
static TRACE: Mutex<Option<Receiver<Outcome>>> = Mutex::new(None);

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

/// Begins the trace; `asked` by GEVT_TRACE. The file is made on the thread that is started: a file that is longer than the process may make brings
/// a signal, which gevt's threads block.
pub(crate) fn start(path: PathBuf, asked: bool) -> Result<()> {
    let mut trace = TRACE.try_lock().filter(|trace| trace.is_none()).ok_or(Error::Tracing)?;
    let ((begun, has_begun), (ended, outcome)) = (channel(), channel());
    let run = move || {
        let outcome = write_trace(&path, asked, begun);
        probe::set_tracing(false);
        // The program may end the trace later, or never.
        let _ = ended.send(outcome);
    };
    if !lifecycle::start_thread("gevt-trace", run) {
        return Err(Error::OutOfMemory);
    }
    if has_begun.recv().is_err() {
        return Err(outcome.recv().ok().and_then(Outcome::err).map_or(Error::Internal, Error::File));
    }
    *trace = Some(outcome);
    Ok(())
}

/// Makes the file and writes it. Sends `begun` once entries are taken.
fn write_trace(path: &Path, asked: bool, begun: Sender<()>) -> Outcome {
    let process = std::process::id();
    let file = make_file(path, asked, process).map_err(|error| number_of(&error))?;
    let mut writer = Writer {
        file,
        text: String::with_capacity(CHUNK + ROOM),
        document: Document::new(process, now()),
        written: Written { entries: 0, lost: 0 },
    };
    let entries = BUFFER.open(MOST);
    probe::set_tracing(true);
    // Its receiver waits.
    let _ = begun.send(());
    let result = writer.run(&entries).map_err(|error| number_of(&error));
    BUFFER.close(None);
    if let Err(error) = result
        && asked
    {
        complain(&Error::File(error));
    }
    result.map(|()| writer.written)
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
    let mut trace = TRACE.try_lock().ok_or(Error::NotTracing)?;
    let outcome = trace.take().ok_or(Error::NotTracing)?;
    probe::set_tracing(false);
    BUFFER.close(None);
    outcome.recv().map_err(|_| Error::Internal)?.map_err(Error::File)
}

/// Ends the trace of a process that exits. Waits, but not for ever.
pub(crate) fn finish() {
    let deadline = Instant::now() + PATIENCE;
    if let Some(mut trace) = TRACE.try_lock_until(deadline)
        && let Some(outcome) = trace.take()
        && BUFFER.close(Some(deadline))
    {
        let _ = outcome.recv_timeout(deadline.saturating_duration_since(Instant::now()));
    }
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
    fn run(&mut self, entries: &Receiver<TraceEntry>) -> io::Result<()> {
        loop {
            let first = entries.recv().ok();
            let is_last = first.is_none();
            if !is_last {
                std::thread::sleep(PAUSE);
            }
            self.write(first.into_iter().chain(entries.try_iter()))?;
            if is_last {
                return Ok(());
            }
        }
    }

    fn write(&mut self, entries: impl Iterator<Item = TraceEntry>) -> io::Result<()> {
        for entry in entries {
            self.written.entries += 1;
            self.document.add(&mut self.text, &entry);
            if self.text.len() >= CHUNK {
                self.file.append(&mut self.text)?;
            }
        }
        let lost = BUFFER.take_lost();
        if lost > 0 {
            self.written.lost += lost;
            self.document.lost(&mut self.text, now(), lost);
        }
        if self.text.is_empty() { Ok(()) } else { self.file.append(&mut self.text) }
    }
}
