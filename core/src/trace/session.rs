//! The one trace of a process: its beginning, the thread that writes it, and its end.

use super::buffer::{Buffer, MOST};
use super::document::Document;
use super::entry::Entry;
use super::file::ArrayFile;
use super::tracks;
use crate::clock;
use crate::error::{Error, Result};
use crate::os::IO_ERROR;
use crate::process;
use parking_lot::{Condvar, Mutex};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// Text that is gathered before it goes to the file, and room for what one entry makes of it.
const CHUNK: usize = 1 << 18;
const ROOM: usize = 1 << 14;
/// How long an exiting process waits for the file.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) static BUFFER: Buffer = Buffer::new();
static STATE: Mutex<State> = Mutex::new(State::Idle);
static CHANGED: Condvar = Condvar::new();

#[derive(Clone, Copy)]
enum State {
    Idle,
    Starting,
    Running,
    /// Somebody waits for the end, and will find it as the next state.
    Stopping,
    Ended(std::result::Result<Written, i32>),
    /// The file could not be written, or the process exits; nobody has waited for that.
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
    file: ArrayFile,
    lists: [Vec<Entry>; 2],
    text: String,
}

fn failed(error: &io::Error) -> Error {
    Error::File(error.raw_os_error().unwrap_or(IO_ERROR))
}

fn prepare(path: &Path) -> Result<Prepared> {
    let mut lists = [Vec::new(), Vec::new()];
    let mut text = String::new();
    let room = lists.iter_mut().all(|list| list.try_reserve_exact(MOST).is_ok());
    if !room || text.try_reserve_exact(CHUNK + ROOM).is_err() {
        return Err(Error::OutOfMemory);
    }
    let file = ArrayFile::create(path, &tracks::head()).map_err(|error| failed(&error))?;
    Ok(Prepared { file, lists, text })
}

/// Begins the trace. `spawn` starts a thread.
pub(crate) fn start(path: &Path, spawn: impl FnOnce(Box<dyn FnOnce() + Send>) -> bool) -> Result<()> {
    let mut state = STATE.lock();
    if !matches!(*state, State::Idle) {
        return Err(Error::Tracing);
    }
    *state = State::Starting;
    drop(state);
    let started = prepare(path).and_then(|prepared| {
        let Prepared { file, lists: [first, second], text } = prepared;
        let start = clock::now();
        BUFFER.open(first);
        let writer = Writer { file, text, document: Document::new(start), entries: 0, lost: 0 };
        if spawn(Box::new(move || end(writer.run(second)))) { Ok(()) } else { Err(Error::OutOfMemory) }
    });
    let mut state = STATE.lock();
    if started.is_err() {
        BUFFER.close(None);
        *state = State::Idle;
    } else if matches!(*state, State::Starting) {
        // Otherwise the writer has ended already.
        *state = State::Running;
        process::set_tracing(true);
    }
    started
}

/// Ends the trace and waits until it is written.
pub(crate) fn stop() -> Result<Written> {
    let mut state = STATE.lock();
    match *state {
        State::Running => *state = State::Stopping,
        State::Over(result) => {
            *state = State::Idle;
            return result.map_err(Error::File);
        }
        State::Idle | State::Starting | State::Stopping | State::Ended(_) => return Err(Error::NotTracing),
    }
    process::set_tracing(false);
    BUFFER.close(None);
    loop {
        if let State::Ended(result) = *state {
            *state = State::Idle;
            return result.map_err(Error::File);
        }
        CHANGED.wait(&mut state);
    }
}

/// Ends the trace of a process that exits. Waits, but not for ever.
pub(crate) fn finish() {
    let deadline = Instant::now() + PATIENCE;
    let Some(mut state) = STATE.try_lock_until(deadline) else { return };
    if !matches!(*state, State::Running | State::Stopping) || !BUFFER.close(Some(deadline)) {
        return;
    }
    while matches!(*state, State::Running | State::Stopping) && !CHANGED.wait_until(&mut state, deadline).timed_out() {}
}

/// Told by the writer when it has written all.
fn end(result: std::result::Result<Written, i32>) {
    let mut state = STATE.lock();
    process::set_tracing(false);
    *state = if matches!(*state, State::Stopping) { State::Ended(result) } else { State::Over(result) };
    CHANGED.notify_all();
}

/// What the writing thread has.
struct Writer {
    file: ArrayFile,
    text: String,
    document: Document,
    entries: u64,
    lost: u64,
}

impl Writer {
    /// Writes until the buffer is closed, or until the file cannot be written.
    fn run(mut self, mut list: Vec<Entry>) -> std::result::Result<Written, i32> {
        loop {
            let taken = BUFFER.take(&mut list);
            if let Err(error) = self.write(&mut list, taken.lost) {
                BUFFER.close(None);
                BUFFER.take(&mut list);
                return Err(error.raw_os_error().unwrap_or(IO_ERROR));
            }
            if taken.is_last {
                return Ok(Written { entries: self.entries, lost: self.lost });
            }
        }
    }

    fn write(&mut self, list: &mut Vec<Entry>, lost: u64) -> io::Result<()> {
        for entry in list.drain(..) {
            self.document.add(&mut self.text, &entry);
            self.entries += 1;
            if self.text.len() >= CHUNK {
                self.file.append(&mut self.text)?;
            }
        }
        if lost > 0 {
            self.lost += lost;
            self.document.lost(&mut self.text, clock::now(), lost);
        }
        if self.text.is_empty() { Ok(()) } else { self.file.append(&mut self.text) }
    }
}
