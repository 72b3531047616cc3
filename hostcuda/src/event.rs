//! Events: their table, and their records outside and inside captures.

use crate::capture::{self, CapturedRecord};
use crate::code::{Code, Result};
use crate::context::{self, Context};
use crate::graph::Step;
use crate::handle::{Handle, of_c, to_c};
use crate::probe::reads_as_zero;
use crate::stream::Stream;
use cuda_abi::{
    EVENT_BLOCKING_SYNC as BLOCKING_SYNC, EVENT_DISABLE_TIMING as DISABLE_TIMING, EVENT_INTERPROCESS as INTERPROCESS,
};
use gevt_core::EventFlags;
use gevt_core::atomic_ref::AtomicRef;
use gevt_core::lock::Mutex;
use gevt_core::table::{Recycle, Word, table};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

const UNRECORDED: u8 = 0;
const RECORDED: u8 = 1;
const CAPTURED: u8 = 2;

#[derive(Default)]
pub(crate) struct Event {
    core: AtomicU64,
    flags: AtomicU32,
    context: AtomicRef<Context>,
    state: AtomicU8,
    /// The last record, if it was captured.
    captured: Mutex<Option<CapturedRecord>>,
}

table! {
    static EVENTS: Event, Event;
}

impl Recycle for Event {
    fn recycle(&self, _: Word) {
        if self.state.swap(UNRECORDED, Ordering::Relaxed) == CAPTURED {
            *self.captured.lock() = None;
        }
        let _ = self.core().destroy();
    }
}

/// Returns the event of a handle. A real driver reads the context from the memory that the handle points to. If that memory is zero, it
/// reports that there is no context, and so does this function.
#[inline]
pub(crate) fn get(handle: Handle) -> Result<&'static Event> {
    EVENTS.peek(of_c(handle)).map_err(|_| refuse(handle))
}

#[cold]
fn refuse(handle: Handle) -> Code {
    if handle != 0 && reads_as_zero(handle) { Code::INVALID_CONTEXT } else { Code::INVALID_HANDLE }
}

/// Creates an event in the current context.
pub(crate) fn create(flags: u32) -> Result<Handle> {
    let context = context::current()?;
    let known = flags & !(BLOCKING_SYNC | DISABLE_TIMING | INTERPROCESS) == 0;
    if !known || flags & (INTERPROCESS | DISABLE_TIMING) == INTERPROCESS {
        return Err(Code::INVALID_VALUE);
    }
    insert(context, flags, gevt_core::Event::create_in(context.core, EventFlags::from_bits(flags))?)
}

fn insert(context: &'static Context, flags: u32, core: gevt_core::Event) -> Result<Handle> {
    let made = EVENTS.insert(|event| {
        event.flags.store(flags, Ordering::Relaxed);
        event.context.store(Some(context));
        event.core.store(core.to_bits(), Ordering::Relaxed);
    });
    made.map(to_c).map_err(|error| {
        let _ = core.destroy();
        error.into()
    })
}

/// Returns the 64 bytes with which another process opens the event.
pub(crate) fn export(handle: Handle) -> Result<[u8; 64]> {
    if handle == 0 {
        return Err(Code::INVALID_VALUE);
    }
    let event = EVENTS.peek(of_c(handle))?;
    if event.has(INTERPROCESS) { Ok(event.core().export()?) } else { Err(Code::INVALID_HANDLE) }
}

/// Opens another process's event.
pub(crate) fn import(bytes: &[u8; 64]) -> Result<Handle> {
    let context = context::current()?;
    insert(context, DISABLE_TIMING | INTERPROCESS, gevt_core::Event::import(context.core, bytes)?)
}

/// Destroys the event, even if its context no longer exists. Work that has yet to reach it continues.
pub(crate) fn destroy(handle: Handle) -> Result {
    EVENTS.remove(of_c(handle)).map_err(|_| refuse(handle))
}

/// Returns the milliseconds between two events.
pub(crate) fn elapsed(start: Handle, end: Handle) -> Result<f32> {
    let pair = [get(start)?, get(end)?];
    let contexts = [pair[0].context()?, pair[1].context()?];
    if !std::ptr::eq(contexts[0], contexts[1]) || pair.iter().any(|event| event.has(DISABLE_TIMING)) {
        return Err(Code::INVALID_HANDLE);
    }
    pair.iter().try_for_each(|event| event.check_uncaptured())?;
    if pair.iter().any(|event| event.state.load(Ordering::Acquire) == UNRECORDED) {
        return Err(Code::INVALID_HANDLE);
    }
    let ns = gevt_core::Event::elapsed(pair[0].core(), pair[1].core())?.ok_or(Code::NOT_READY)?;
    Ok((ns as f64 / 1e6) as f32)
}

impl Event {
    fn has(&self, flag: u32) -> bool {
        self.flags.load(Ordering::Relaxed) & flag != 0
    }

    #[inline]
    fn core(&self) -> gevt_core::Event {
        gevt_core::Event::from_bits(self.core.load(Ordering::Relaxed))
    }

    pub(crate) fn context(&self) -> Result<&'static Context> {
        self.context.load().ok_or(Code::INVALID_HANDLE)
    }

    fn check(&self) -> Result {
        self.context()?.check()
    }

    /// Refuses a stream of a different context.
    fn check_stream(&self, stream: &Stream) -> Result {
        self.check()?;
        if std::ptr::eq(self.context()?, stream.context()?) { Ok(()) } else { Err(Code::INVALID_HANDLE) }
    }

    /// Fails if the last record is a captured one, for calls that need a real record.
    #[inline]
    fn check_uncaptured(&self) -> Result {
        self.check()?;
        if self.state.load(Ordering::Acquire) == CAPTURED
            && let Some(record) = &*self.captured.lock()
        {
            return Err(record.refuse());
        }
        Ok(())
    }

    /// Refuses a status query on a captured record, even if a capture also forbids the query.
    #[inline]
    fn check_call(&self) -> Result {
        self.check_uncaptured()?;
        capture::check_unsafe_call()
    }

    /// Records the event with this handle on a stream. With `external`, a captured stream gets a node that records it.
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

    /// Makes the stream wait for the last record of the event with this handle. With `external`, a captured stream gets a node that waits.
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

    /// Records the event, outside any capture.
    pub(crate) fn record_now(&'static self, stream: &'static Stream) -> Result {
        self.check_stream(stream)?;
        self.core().record(stream.core())?;
        if self.state.swap(RECORDED, Ordering::AcqRel) == CAPTURED {
            *self.captured.lock() = None;
        }
        Ok(())
    }

    /// Makes the stream wait, outside any capture.
    pub(crate) fn wait_now(&'static self, stream: &'static Stream) -> Result {
        self.check()?;
        Ok(stream.core().wait(self.core())?)
    }

    /// Succeeds if the event was never recorded or its last record has completed.
    pub(crate) fn query(&'static self) -> Result {
        self.check_call()?;
        if self.core().query()? { Ok(()) } else { Err(Code::NOT_READY) }
    }

    /// Waits for the last record of the event.
    pub(crate) fn synchronize(&'static self) -> Result {
        self.check_call()?;
        Ok(self.core().sync()?)
    }
}
