//! The one trace of a process: its beginning, the thread that writes it, and its end.

use super::buffer::{Buffer, MOST};
use super::document::Document;
use super::entry::TraceEntry;
use super::env::{MOST_NAMES, name_in_turn, path_of};
use super::file::TraceFile;
use super::os::{self, IO_ERROR, check_path, is_locked};
use super::{thread, tracks};
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

pub(super) static BUFFER: Buffer = Buffer::new();
static PHASE: Mutex<Phase> = Mutex::new(Phase::Idle);
static CHANGED: Condvar = Condvar::new();

#[derive(Clone, Copy)]
enum Phase {
    Idle,
    /// The file is being made.
    Starting,
    /// It could not be made. The thread that starts the trace waits for that.
    Refused(i32),
    Running,
    /// A thread waits for the end, which is the next phase.
    Stopping,
    Ended(std::result::Result<Written, i32>),
    /// The file could not be written, or the process exits; no thread has waited for that.
    Over(std::result::Result<Written, i32>),
}

/// What became of a trace.
#[derive(Clone, Copy)]
pub(crate) struct Written {
    pub(crate) entries: u64,
    pub(crate) lost: u64,
}

/// What a trace needs before it can begin.
struct Prepared {
    path: PathBuf,
    /// GEVT_TRACE asked for it.
    asked: bool,
    lists: [Vec<TraceEntry>; 2],
    text: String,
}

fn prepare(path: &Path, asked: bool) -> Result<Prepared> {
    check_path(path).map_err(|error| file_error(&error))?;
    let lists = [Vec::with_capacity(MOST), Vec::with_capacity(MOST)];
    Ok(Prepared { path: path.into(), asked, lists, text: String::with_capacity(CHUNK + ROOM) })
}

pub(crate) fn file_error(error: &io::Error) -> Error {
    Error::File(number_of(error))
}

fn number_of(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(IO_ERROR)
}

/// Begins the trace that GEVT_TRACE asks for, if it does; a line on the standard error stream says why it cannot.
pub(crate) fn start_asked() {
    let Some(variable) = os::trusted_variable("GEVT_TRACE").filter(|variable| !variable.is_empty()) else { return };
    if let Err(error) = start_at(&path_of(&variable, std::process::id()), true) {
        complain(&error);
    }
}

/// The program has not set a log function yet.
fn complain(error: &Error) {
    let _ = writeln!(io::stderr(), "gevt: there is no trace as GEVT_TRACE asks for: {error}");
}

/// Begins the trace.
pub(crate) fn start(path: &Path) -> Result<()> {
    start_at(path, false)
}

/// The file is made on the thread that is started: a file that is longer than the process may make brings a signal, which gevt's
/// threads block.
fn start_at(path: &Path, asked: bool) -> Result<()> {
    let mut phase = PHASE.lock();
    if !matches!(*phase, Phase::Idle) {
        return Err(Error::Tracing);
    }
    *phase = Phase::Starting;
    drop(phase);
    let spawned = prepare(path, asked).and_then(|prepared| {
        let is_started = lifecycle::start_thread("gevt-trace", move || write_trace(prepared));
        if is_started { Ok(()) } else { Err(Error::OutOfMemory) }
    });
    let mut phase = PHASE.lock();
    if spawned.is_err() {
        *phase = Phase::Idle;
        return spawned;
    }
    while matches!(*phase, Phase::Starting) {
        phase = CHANGED.wait(phase);
    }
    if let Phase::Refused(error) = *phase {
        *phase = Phase::Idle;
        return Err(Error::File(error));
    }
    Ok(())
}

/// The life of the writing thread.
fn write_trace(prepared: Prepared) {
    let Prepared { path, asked, lists: [first, second], text } = prepared;
    let process = std::process::id();
    let file = make_file(&path, asked, process);
    let mut phase = PHASE.lock();
    let file = match file {
        Ok(file) => file,
        Err(error) => {
            *phase = Phase::Refused(number_of(&error));
            CHANGED.notify_all();
            return;
        }
    };
    let document = Document::new(process, now());
    BUFFER.open(first);
    thread::begin_trace();
    *phase = Phase::Running;
    probe::set_tracing(true);
    CHANGED.notify_all();
    drop(phase);
    let result = Writer { file, text, document, entries: 0, lost: 0 }.run(second);
    if let Err(error) = result
        && asked
    {
        complain(&Error::File(error));
    }
    end(result);
}

/// Makes the file; under another name if GEVT_TRACE asked for it and another trace is being written to that one.
fn make_file(path: &Path, asked: bool, process: u32) -> io::Result<TraceFile> {
    let mut turn = 1;
    loop {
        match TraceFile::create(&name_in_turn(path, turn), &mut tracks::head(process)) {
            Err(error) if asked && is_locked(&error) && turn < MOST_NAMES => turn += 1,
            made => return made,
        }
    }
}

/// Ends the trace and waits until it is written.
pub(crate) fn stop() -> Result<Written> {
    let mut phase = PHASE.lock();
    match *phase {
        Phase::Running => *phase = Phase::Stopping,
        Phase::Over(result) => {
            *phase = Phase::Idle;
            return result.map_err(Error::File);
        }
        Phase::Idle | Phase::Starting | Phase::Refused(_) | Phase::Stopping | Phase::Ended(_) => {
            return Err(Error::NotTracing);
        }
    }
    probe::set_tracing(false);
    BUFFER.close(None);
    loop {
        if let Phase::Ended(result) = *phase {
            *phase = Phase::Idle;
            return result.map_err(Error::File);
        }
        phase = CHANGED.wait(phase);
    }
}

/// Ends the trace of a process that exits. Waits, but not for ever.
pub(crate) fn finish() {
    let deadline = Instant::now() + PATIENCE;
    let Some(mut phase) = PHASE.try_lock_until(deadline) else { return };
    if !matches!(*phase, Phase::Running | Phase::Stopping) || !BUFFER.close(Some(deadline)) {
        return;
    }
    while matches!(*phase, Phase::Running | Phase::Stopping) && Instant::now() < deadline {
        (phase, _) = CHANGED.wait_for(phase, deadline.saturating_duration_since(Instant::now()));
    }
}

/// Told by the writer when it has written all.
fn end(result: std::result::Result<Written, i32>) {
    let mut phase = PHASE.lock();
    probe::set_tracing(false);
    *phase = if matches!(*phase, Phase::Stopping) { Phase::Ended(result) } else { Phase::Over(result) };
    CHANGED.notify_all();
}

/// What the writing thread has.
struct Writer {
    file: TraceFile,
    text: String,
    document: Document,
    entries: u64,
    lost: u64,
}

impl Writer {
    /// Writes until the buffer is closed, or until the file cannot be written.
    fn run(mut self, mut list: Vec<TraceEntry>) -> std::result::Result<Written, i32> {
        loop {
            let taken = BUFFER.take(&mut list);
            if let Err(error) = self.write(&mut list, taken.lost) {
                BUFFER.close(None);
                BUFFER.take(&mut list);
                return Err(number_of(&error));
            }
            if taken.is_last {
                return Ok(Written { entries: self.entries, lost: self.lost });
            }
        }
    }

    fn write(&mut self, list: &mut Vec<TraceEntry>, lost: u64) -> io::Result<()> {
        for entry in list.drain(..) {
            self.document.add(&mut self.text, &entry);
            self.entries += 1;
            if self.text.len() >= CHUNK {
                self.file.append(&mut self.text)?;
            }
        }
        if lost > 0 {
            self.lost += lost;
            self.document.lost(&mut self.text, now(), lost);
        }
        if self.text.is_empty() { Ok(()) } else { self.file.append(&mut self.text) }
    }
}
