//! Events: their table, and their records outside and inside captures.

use crate::capture::{self, CapturedRecord};
use crate::code::{Code, Result};
use crate::context::{self, Context};
use crate::graph::Step;
use crate::ipc::Shared;
use crate::link::Link;
use crate::probe::reads_as_zero;
use crate::stream::Stream;
use crate::table::{Handle, Table};
use gevt_core::host_api;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

const BLOCKING_SYNC: u32 = 1;
const DISABLE_TIMING: u32 = 2;
const INTERPROCESS: u32 = 4;
/// Not a flag of CUDA's: the event was opened from another process's handle.
const IMPORTED: u32 = 1 << 31;

const UNRECORDED: u8 = 0;
const RECORDED: u8 = 1;
const CAPTURED: u8 = 2;

/// An event.
#[derive(Default)]
pub(crate) struct Event {
    record: host_api::Event,
    flags: AtomicU32,
    context: Link<Context>,
    state: AtomicU8,
    /// The last record, if that was captured.
    captured: Mutex<Option<CapturedRecord>>,
    /// What an INTERPROCESS event is in place of `record`.
    shared: Mutex<Option<Arc<Shared>>>,
}

static EVENTS: Table<Event> = Table::new(0xC1);

/// The event of a handle. A driver reads the context out of whatever memory a handle points at; where that memory is
/// zero, it finds no context and says so, and this says the same.
#[inline]
pub(crate) fn get(handle: Handle) -> Result<&'static Event> {
    EVENTS.get(handle).ok_or_else(|| refuse(handle))
}

#[cold]
fn refuse(handle: Handle) -> Code {
    if handle != 0 && reads_as_zero(handle) { Code::INVALID_CONTEXT } else { Code::INVALID_HANDLE }
}

/// Makes an event in the current context.
pub(crate) fn create(flags: u32) -> Result<Handle> {
    let context = context::current()?;
    let known = flags & !(BLOCKING_SYNC | DISABLE_TIMING | INTERPROCESS) == 0;
    if !known || flags & (INTERPROCESS | DISABLE_TIMING) == INTERPROCESS {
        return Err(Code::INVALID_VALUE);
    }
    let shared = if flags & INTERPROCESS == 0 { None } else { Some(Shared::create()?) };
    insert(context, flags, shared)
}

fn insert(context: &'static Context, flags: u32, shared: Option<Arc<Shared>>) -> Result<Handle> {
    let fill = |event: &'static Event| {
        event.flags.store(flags, Ordering::Relaxed);
        event.context.set(context);
        if shared.is_some() {
            *event.shared.lock() = shared;
        }
    };
    EVENTS.insert(fill).ok_or(Code::OUT_OF_MEMORY)
}

/// The 64 bytes by which another process opens the event.
pub(crate) fn export(handle: Handle) -> Result<[u8; 64]> {
    let event = EVENTS.get(handle).ok_or(if handle == 0 { Code::INVALID_VALUE } else { Code::INVALID_HANDLE })?;
    let exported = !event.has(IMPORTED);
    event.shared().filter(|_| exported).ok_or(Code::INVALID_HANDLE)?.export()
}

/// Opens another process's event.
pub(crate) fn import(bytes: &[u8; 64]) -> Result<Handle> {
    let context = context::current()?;
    insert(context, DISABLE_TIMING | INTERPROCESS | IMPORTED, Some(Shared::import(bytes)?))
}

/// Ends the event, whatever its context is. Work that still has to reach it goes on.
pub(crate) fn destroy(handle: Handle) -> Result {
    let clear = |event: &'static Event| {
        if event.state.swap(UNRECORDED, Ordering::AcqRel) != UNRECORDED {
            event.record.clear();
            *event.captured.lock() = None;
        }
        if event.has(INTERPROCESS) {
            *event.shared.lock() = None;
        }
    };
    EVENTS.remove(handle, clear).ok_or_else(|| refuse(handle))
}

/// Milliseconds from one event to the other.
pub(crate) fn elapsed(start: Handle, end: Handle) -> Result<f32> {
    let pair = [get(start)?, get(end)?];
    let contexts = [pair[0].context()?, pair[1].context()?];
    if !std::ptr::eq(contexts[0], contexts[1]) || pair.iter().any(|event| event.has(DISABLE_TIMING)) {
        return Err(Code::INVALID_HANDLE);
    }
    pair.iter().try_for_each(|event| event.check_call())?;
    if pair.iter().any(|event| event.state.load(Ordering::Acquire) == UNRECORDED) {
        return Err(Code::INVALID_HANDLE);
    }
    let records = pair.map(|event| event.record.last());
    for record in records {
        if !contexts[0].host.reached(record)? {
            return Err(Code::NOT_READY);
        }
    }
    // The time is written when the record is reached, so what was read before may lack it.
    let [start, end] = pair.map(|event| event.record.last());
    Ok((start.until(end) as f64 / 1e6) as f32)
}

impl Event {
    fn has(&self, flag: u32) -> bool {
        self.flags.load(Ordering::Relaxed) & flag != 0
    }

    fn shared(&self) -> Option<Arc<Shared>> {
        if self.has(INTERPROCESS) { self.shared.lock().clone() } else { None }
    }

    pub(crate) fn context(&self) -> Result<&'static Context> {
        self.context.get().ok_or(Code::INVALID_HANDLE)
    }

    fn check(&self) -> Result {
        self.context()?.check()
    }

    /// Refuses a stream of another context.
    fn check_stream(&self, stream: &Stream) -> Result {
        self.check()?;
        if std::ptr::eq(self.context()?, stream.context()?) { Ok(()) } else { Err(Code::INVALID_HANDLE) }
    }

    /// Refuses calls that ask how the work stands, where there is only a captured record or a capture forbids to ask.
    #[inline]
    fn check_call(&self) -> Result {
        self.check()?;
        if self.state.load(Ordering::Acquire) == CAPTURED
            && let Some(place) = &*self.captured.lock()
        {
            return Err(place.refuse());
        }
        capture::check_unsafe_call()
    }

    /// Records the event, whose handle it is, on a stream; with `external`, a captured stream gets a node that records it.
    pub(crate) fn record(&'static self, handle: Handle, stream: &'static Stream, external: bool) -> Result {
        self.check_stream(stream)?;
        capture::check_implicit(stream)?;
        match capture::of(stream) {
            None if external => Err(Code::ILLEGAL_STATE),
            None => self.record_now(stream),
            Some(capture) if external => capture.add(stream, Step::Record(handle)),
            Some(capture) => {
                let record = capture.record(stream)?;
                *self.captured.lock() = Some(record);
                self.state.store(CAPTURED, Ordering::Release);
                Ok(())
            }
        }
    }

    /// Lets the stream wait for the last record of the event, whose handle it is; with `external`, a captured stream gets a node
    /// that waits.
    pub(crate) fn wait(&'static self, handle: Handle, stream: &'static Stream, external: bool) -> Result {
        self.check()?;
        capture::check_implicit(stream)?;
        match capture::of(stream) {
            None if external => Err(Code::ILLEGAL_STATE),
            Some(capture) if external => capture.add(stream, Step::Wait(handle)),
            _ if self.state.load(Ordering::Acquire) == CAPTURED => match &*self.captured.lock() {
                Some(record) => record.wait(stream),
                None => Ok(()),
            },
            Some(capture) => capture.isolate(),
            None => self.wait_now(stream),
        }
    }

    /// Records the event outside any capture.
    pub(crate) fn record_now(&'static self, stream: &'static Stream) -> Result {
        self.check_stream(stream)?;
        match self.shared() {
            Some(shared) => shared.record(stream)?,
            None => drop(stream.context()?.host.record(stream.host()?, &self.record)?),
        }
        if self.state.swap(RECORDED, Ordering::AcqRel) == CAPTURED {
            *self.captured.lock() = None;
        }
        Ok(())
    }

    /// Lets the stream wait outside any capture.
    pub(crate) fn wait_now(&'static self, stream: &'static Stream) -> Result {
        self.check()?;
        match self.shared() {
            Some(shared) => shared.wait(stream),
            None => Ok(stream.context()?.host.wait(stream.host()?, self.record.last())?),
        }
    }

    /// Is the last record done? True where there is none.
    pub(crate) fn query(&'static self) -> Result {
        self.check_call()?;
        let done = match self.shared() {
            Some(shared) => shared.query()?,
            None => self.context()?.host.reached(self.record.last())?,
        };
        if done { Ok(()) } else { Err(Code::NOT_READY) }
    }

    /// Waits for the last record.
    pub(crate) fn synchronize(&'static self) -> Result {
        self.check_call()?;
        match self.shared() {
            Some(shared) => shared.synchronize(),
            None => {
                let spin = !self.has(BLOCKING_SYNC);
                self.context()?.host.block(self.record.last(), spin, None)?;
                Ok(())
            }
        }
    }
}
