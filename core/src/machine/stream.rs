//! A stream: what its slot holds, and what can be done with it.

use super::context::{BackendContext, ContextId};
use super::current;
use super::event::{self, EventSlot};
use super::state::{Answer, Op, State, answer, is_known};
use crate::backend::{HostFn, NativeStream};
use crate::error::{Error, Result};
use crate::process;
use crate::table::{Context, Entry, Event, Guard, Handle, Kind, LocalCache, Stored, Stream, Table, Word};
use crate::trace::{self, Call, StreamId, What};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};

/// A flag of gevt_stream_create.
const NON_BLOCKING: u32 = 1;
/// A flag of records and of waits, in a capture.
const EXTERNAL: u32 = 1;

/// What the slot of a stream holds.
#[derive(Default)]
pub(crate) struct StreamSlot {
    context: AtomicU32,
    /// The handle of the context that the stream was made in.
    through: AtomicU64,
    native: AtomicU64,
    adopted: AtomicBool,
    /// Has it waited for an event that was, or may have been, recorded in a capture? Then it may be captured itself.
    joined: AtomicBool,
}

static STREAMS: Table<StreamSlot> = Table::new();

thread_local! {
    static CACHE: LocalCache = LocalCache::new(&STREAMS.free);
}

impl Stored for StreamSlot {
    const KIND: Kind = Kind::Stream;
    fn table() -> &'static Table<StreamSlot> {
        &STREAMS
    }
    fn cache() -> &'static std::thread::LocalKey<LocalCache> {
        &CACHE
    }
}

impl Entry for StreamSlot {
    fn recycle(&self, _: Word) {
        let context = ContextId(self.context.load(Ordering::Relaxed)).context();
        if let Some(context) = context.filter(|_| !self.adopted.load(Ordering::Relaxed)) {
            context.backend.destroy_stream(NativeStream(self.native.load(Ordering::Relaxed)));
        }
        if let Some(context) = context {
            context.release();
        }
    }
}

/// A stream that is kept from being destroyed.
pub(crate) struct StreamUse {
    pub(crate) context: &'static BackendContext,
    pub(crate) through: Handle,
    pub(crate) native: NativeStream,
    /// May the stream be captured? One of gevt's own only where it has joined a capture.
    pub(crate) capturable: bool,
    /// None where nothing of gevt's has to be kept.
    _guard: Option<Guard<StreamSlot>>,
}

impl StreamUse {
    /// What a trace calls the stream.
    #[cold]
    pub(crate) fn traced(&self) -> StreamId {
        self.context.backend.traced(self.native)
    }
}

impl StreamSlot {
    fn read(&self, guard: Option<Guard<StreamSlot>>) -> Result<StreamUse> {
        Ok(StreamUse {
            context: ContextId(self.context.load(Ordering::Relaxed)).context().ok_or(Error::Internal)?,
            through: Handle(self.through.load(Ordering::Relaxed)),
            native: NativeStream(self.native.load(Ordering::Relaxed)),
            capturable: self.adopted.load(Ordering::Relaxed) || self.joined.load(Ordering::Relaxed),
            _guard: guard,
        })
    }
}

/// The stream of a handle; for NULL the default stream of the current context.
pub(crate) fn get(handle: Handle) -> Result<StreamUse> {
    if handle == Handle::NULL {
        let (context, through) = current::resolve(Handle::NULL)?;
        return Ok(StreamUse {
            context,
            through,
            native: context.backend.default_stream()?,
            capturable: false,
            _guard: None,
        });
    }
    let guard = STREAMS.get(handle)?;
    let slot = guard.slot();
    slot.value.read(Some(guard))
}

/// What a trace calls the stream of a handle, if it lives.
pub(crate) fn traced(handle: Handle) -> Option<StreamId> {
    get(handle).ok().map(|stream| stream.traced())
}

/// As [`get`], for a record or a wait. A stream that the caller owns is not gevt's to keep, so that its handle is read without
/// taking it into use.
pub(crate) fn get_to_record(handle: Handle) -> Result<StreamUse> {
    if handle != Handle::NULL {
        let slot = STREAMS.find(handle)?;
        let before = slot.word.load();
        if before.is_live() && before.generation() == handle.generation() && slot.value.adopted.load(Ordering::Relaxed)
        {
            let stream = slot.value.read(None)?;
            // The fields are this handle's if the handle still lives.
            fence(Ordering::Acquire);
            if slot.word.load() == before {
                return Ok(stream);
            }
        }
    }
    get(handle)
}

/// As [`get`], for calls that do nothing else; refuses a lost context.
fn usable(handle: Handle) -> Result<StreamUse> {
    process::check()?;
    let stream = get(handle)?;
    if !process::is_calm() {
        stream.context.check()?;
    }
    Ok(stream)
}

/// Checks the flags of a record or a wait; true is EXTERNAL.
pub(crate) fn is_external(flags: u32) -> Result<bool> {
    if flags & !EXTERNAL == 0 { Ok(flags & EXTERNAL != 0) } else { Err(Error::BadFlags(flags)) }
}

impl Stream {
    pub fn create(context: Context, flags: u32) -> Result<Stream> {
        let context = context.0;
        process::check()?;
        if flags & !NON_BLOCKING != 0 {
            return Err(Error::BadFlags(flags));
        }
        insert(context, false, |context| context.backend.create_stream(flags & NON_BLOCKING != 0))
    }
}

impl Stream {
    pub fn adopt(context: Context, native: u64) -> Result<Stream> {
        let context = context.0;
        process::check()?;
        insert(context, true, |context| context.backend.adopt_stream(native))
    }
}

fn insert(
    context: Handle,
    adopted: bool,
    make: impl FnOnce(&'static BackendContext) -> Result<NativeStream>,
) -> Result<Stream> {
    let (context, through) = current::resolve(context)?;
    context.check()?;
    let native = make(context)?;
    let made = STREAMS.insert(|slot, word| {
        context.acquire();
        slot.context.store(context.id.0, Ordering::Relaxed);
        slot.through.store(through.0, Ordering::Relaxed);
        slot.native.store(native.0, Ordering::Relaxed);
        slot.adopted.store(adopted, Ordering::Relaxed);
        slot.joined.store(false, Ordering::Relaxed);
        word
    });
    if made.is_err() && !adopted {
        context.backend.destroy_stream(native);
    }
    if made.is_ok() && !adopted {
        trace::put(|| What::NewStream(context.backend.traced(native)));
    }
    made.map(Stream)
}

impl Stream {
    /// Ends a stream. Never blocks; its work still runs.
    pub fn destroy(self) -> Result<()> {
        let handle = self.0;
        if process::is_over() { Ok(()) } else { STREAMS.remove(handle) }
    }
}

impl Stream {
    /// Has the stream done all that it was given?
    pub fn query(self) -> Result<bool> {
        let handle = self.0;
        let stream = usable(handle)?;
        stream.context.backend.query_stream(stream.native)
    }
}

impl Stream {
    /// Blocks until the stream has done all that it was given before the call.
    pub fn sync(self) -> Result<()> {
        let handle = self.0;
        let stream = usable(handle)?;
        let _traced = trace::slice(|| Call::new("sync").on(Some(stream.traced())));
        stream.context.backend.sync_stream(stream.native)
    }
}

impl Stream {
    /// Runs a function in the stream's order.
    pub fn launch(self, function: HostFn) -> Result<()> {
        let handle = self.0;
        let _traced = trace::slice(move || Call::new("launch on").on(traced(handle)));
        let stream = usable(handle)?;
        stream.context.backend.launch(stream.native, function)
    }
}

fn wait_on(stream: &StreamUse, event: &EventSlot) -> Result<()> {
    let backend = &stream.context.backend;
    match event.context() {
        Some(context) if backend.can_wait_for(&*context.backend) => {
            backend.wait(stream.native, context.backend.mark(&event.cell), false)
        }
        Some(_) => Err(Error::ContextMismatch),
        None => Ok(()),
    }
}

/// A wait that becomes a node of a graph: the graph waits for whatever record the event has when it runs, so that the event
/// is bound, and its native event made, where it was never recorded.
fn wait_external(stream: &StreamUse, event: &Guard<EventSlot>) -> Result<()> {
    let backend = &stream.context.backend;
    backend.check_external(stream.native)?;
    if event.context().is_none() {
        event.bind(stream.context, stream.through)?;
    }
    let context = event.context().ok_or(Error::NotBound)?;
    if !backend.can_wait_for(&*context.backend) {
        return Err(Error::ContextMismatch);
    }
    context.backend.give_native(&event.cell, event.flags().native())?;
    event.slot().word.update(|word| Some(word.with_ask()));
    backend.wait(stream.native, context.backend.mark(&event.cell), true)
}

impl Stream {
    /// Lets what the stream is given from now on wait for the event's last record.
    pub fn wait(self, event: Event, flags: u32) -> Result<()> {
        let (handle, event) = (self.0, event.0);
        let _traced = trace::slice(move || Call::new("stream waits for").of(event::traced(event)).on(traced(handle)));
        let event = event::get(event)?;
        let stream = get_to_record(handle)?;
        if !process::is_calm() {
            stream.context.check()?;
        }
        let external = is_external(flags)?;
        let word = event.slot().word.load();
        if external {
            return wait_external(&stream, &event);
        }
        match answer(State::of(word), is_known(word), Op::Wait) {
            Answer::Success => Ok(()),
            Answer::Ask => {
                if handle != Handle::NULL
                    && !stream.capturable
                    && (State::of(word) == State::Captured || !is_known(word))
                {
                    STREAMS.find(handle)?.value.joined.store(true, Ordering::Relaxed);
                }
                wait_on(&stream, &event)
            }
            Answer::NotRecorded(status) => Err(Error::NotRecorded(status)),
            Answer::Captured => Err(Error::Captured),
        }
    }
}
