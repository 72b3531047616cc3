//! A stream: its slot's contents, its creation and its destruction.

use super::backend_context::BackendContext;
use super::current;
use super::in_use::ContextUse;
use super::{losses, names};
use crate::atomic_ref::AtomicRef;
use crate::backend::{Backend, NativeStream, StreamRef};
use crate::error::{Error, Result};
use crate::flags::StreamFlags;
use crate::probe::{self, Call, NATIVE_STREAMS, StreamId, What};
use crate::process::{self, Uncancelled};
use crate::table::{Context, Found, Guard, Handle, Kind, Recycle, Stream, Word, table};
use crate::text::Name;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

/// The contents of a stream's slot.
#[derive(Default)]
pub(crate) struct StreamSlot {
    context: AtomicRef<BackendContext>,
    /// The handle of the context that the stream was made in.
    through: AtomicU64,
    native: AtomicU64,
    wrapped: AtomicBool,
    /// The flags of its creation.
    flags: AtomicU32,
    /// The stream may be captured. A stream that gevt made may be captured only once it has joined a capture.
    capturable: AtomicBool,
    /// A name has been set.
    named: AtomicBool,
}

table! {
    static STREAMS: StreamSlot, Stream;
}

impl Recycle for StreamSlot {
    fn recycle(&self, _: Word) {
        if self.named.swap(false, Ordering::Relaxed) {
            drop(names::set(self, None));
        }
        if let Some(context) = self.context() {
            if !self.wrapped.load(Ordering::Relaxed) {
                context.backend.destroy_stream(self.native(), true);
            }
            context.release();
        }
    }
}

/// A stream that a call has found.
pub(crate) struct StreamView {
    pub(crate) context: &'static BackendContext,
    /// The stream, for calls that give it work.
    pub(crate) to: StreamRef<'static>,
    origin: Origin,
}

enum Origin {
    Slot(&'static StreamSlot),
    /// A default stream, of the context of that handle.
    Default(Handle),
}

/// A stream that does not end during a call.
pub(crate) struct StreamUse {
    view: StreamView,
    _guard: Option<Guard<'static, StreamSlot>>,
    /// For a default stream.
    _context: Option<ContextUse>,
}

impl Deref for StreamUse {
    type Target = StreamView;
    fn deref(&self) -> &StreamView {
        &self.view
    }
}

impl StreamView {
    /// From now on the stream may be captured: it is about to wait for an event that was, or may have been, recorded in a capture, or its
    /// native stream is given away.
    pub(super) fn may_be_captured(&self) {
        if let Origin::Slot(slot) = self.origin {
            slot.capturable.store(true, Ordering::Relaxed);
        }
    }

    /// The handle of the context that the stream was made in, or that names the context of a default stream.
    pub(crate) fn through(&self) -> Handle {
        match self.origin {
            Origin::Slot(slot) => Handle(slot.through.load(Ordering::Relaxed)),
            Origin::Default(through) => through,
        }
    }

    /// The flags of the stream's creation; 0 for a default stream.
    pub(super) fn flags(&self) -> StreamFlags {
        match self.origin {
            Origin::Slot(slot) => StreamFlags::from_bits(slot.flags.load(Ordering::Relaxed)),
            Origin::Default(_) => StreamFlags::DEFAULT,
        }
    }

    /// The stream's name in traces.
    #[cold]
    pub(crate) fn traced(&self) -> StreamId {
        self.context.backend.traced(self.to.native)
    }
}

impl StreamSlot {
    #[inline]
    fn context(&self) -> Option<&'static BackendContext> {
        self.context.load()
    }

    fn native(&self) -> NativeStream {
        NativeStream(self.native.load(Ordering::Relaxed))
    }

    fn name(&self) -> Option<Name> {
        if self.named.load(Ordering::Relaxed) { names::get(self) } else { None }
    }

    /// The stream's name in traces.
    fn traced(&self) -> Option<StreamId> {
        self.context().map(|context| context.backend.traced(self.native()))
    }
}

impl Found<'static, StreamSlot> {
    /// Reads what calls need of the stream; `None` if it has ended.
    #[inline(always)]
    fn view(self) -> Option<StreamView> {
        let slot = &self.slot.value;
        let capturable = slot.capturable.load(Ordering::Relaxed);
        let to = StreamRef { native: slot.native(), life: Some(self.life()), capturable };
        let view = StreamView { context: slot.context()?, to, origin: Origin::Slot(slot) };
        self.is_unchanged().then_some(view)
    }
}

/// Gives work to the stream of a handle, by `unpinned`, which does not pin it, or where that gives `None` by `pinned`. Streams that are never freed
/// are not pinned for either.
///
/// Always inlined, and the view stays where it is made: copies of what was just written cost more than all the rest.
#[inline(always)]
pub(super) fn submit(
    handle: Handle,
    unpinned: impl FnOnce(&StreamView) -> Option<Result<()>>,
    pinned: impl FnOnce(&StreamView) -> Result<()>,
) -> Result<()> {
    if handle == Handle::NULL {
        let stream = default_stream()?;
        return losses::check(stream.context).and_then(|()| pinned(&stream));
    }
    let found = STREAMS.find(handle).map_err(process::refusal)?;
    let Some(stream) = found.view() else { return Err(Error::StaleHandle(Kind::Stream)) };
    if let Some(result) = unpinned(&stream) {
        return result;
    }
    process::check()?;
    let _guard = if !stream.context.is_counted { None } else { Some(found.pin()?) };
    losses::check(stream.context).and_then(|()| pinned(&stream))
}

/// Makes a call that pins the stream's device, and the stream only if that cannot be. It may end meanwhile: the backend looks at
/// [`StreamRef::lasts`] under the stream's lock. Inlined as [`submit`] is.
#[inline(always)]
pub(super) fn in_device<T>(handle: Handle, call: impl FnOnce(&StreamView) -> Result<T>) -> Result<T> {
    if handle == Handle::NULL {
        let stream = default_stream()?;
        let _pin = stream.context.pin()?;
        return call(&stream);
    }
    let found = STREAMS.find(handle)?;
    let Some(stream) = found.view() else { return Err(Error::StaleHandle(Kind::Stream)) };
    let pin = stream.context.pin()?;
    let _guard = if pin.is_some() && found.is_unchanged() { None } else { Some(found.pin()?) };
    call(&stream)
}

/// The default stream of the current context.
#[cold]
fn default_stream() -> Result<StreamUse> {
    let (kept, through) = current::resolve(Handle::NULL)?;
    let to = StreamRef::pinned(NativeStream::DEFAULT);
    let view = StreamView { context: kept.0, to, origin: Origin::Default(through) };
    Ok(StreamUse { view, _guard: None, _context: Some(kept) })
}

/// The stream of a handle; for NULL the default stream of the current context.
pub(crate) fn get(handle: Handle) -> Result<StreamUse> {
    if handle == Handle::NULL {
        return default_stream();
    }
    let found = STREAMS.find(handle)?;
    let guard = Some(found.pin()?);
    let view = found.view().ok_or(Error::StaleHandle(Kind::Stream))?;
    Ok(StreamUse { view, _guard: guard, _context: None })
}

/// The name in traces of a handle's stream, if it is live.
pub(crate) fn traced(handle: Handle) -> Option<StreamId> {
    get(handle).ok().map(|stream| stream.traced())
}

/// Passes the names of streams to a trace that has begun.
pub(super) fn trace_names() {
    STREAMS.each(|stream| {
        if let Some(name) = stream.name()
            && let Some(known) = stream.traced()
        {
            probe::put(|| What::StreamName(known, name));
        }
    });
}

/// Like [`get`], but fails if the context is lost, for calls that do nothing else.
pub(crate) fn usable(handle: Handle) -> Result<StreamUse> {
    process::check()?;
    let stream = get(handle)?;
    losses::check(stream.context)?;
    Ok(stream)
}

/// Makes a backend call that ends what another call began, even if the context is lost or the process is exiting.
pub(crate) fn end_on<T>(stream: Stream, call: impl FnOnce(&dyn Backend, NativeStream) -> Result<T>) -> Result<T> {
    if process::is_forked() {
        return Err(Error::Forked);
    }
    let outcome = in_device(stream.0, |stream| call(&*stream.context.backend, stream.to.native));
    process::check().and(outcome)
}

fn insert(
    context: Handle,
    flags: StreamFlags,
    wrapped: bool,
    make: impl FnOnce(&'static BackendContext) -> Result<NativeStream>,
) -> Result<Stream> {
    let (kept, through) = current::resolve(context)?;
    let context = kept.0;
    context.check()?;
    let native = make(context)?;
    let made = STREAMS.insert(|slot| {
        context.acquire();
        slot.context.store(Some(context));
        slot.through.store(through.0, Ordering::Relaxed);
        slot.native.store(native.0, Ordering::Relaxed);
        slot.wrapped.store(wrapped, Ordering::Relaxed);
        slot.flags.store(flags.bits(), Ordering::Relaxed);
        slot.capturable.store(wrapped, Ordering::Relaxed);
    });
    if made.is_err() && !wrapped {
        context.backend.destroy_stream(native, true);
    }
    if made.is_ok() && !wrapped {
        probe::put(|| What::NewStream(context.backend.traced(native)));
    }
    made.map(Stream)
}

impl Stream {
    /// Makes a stream.
    pub fn create(context: Context, flags: StreamFlags) -> Result<Stream> {
        process::check()?;
        let non_blocking = flags.check()?.contains(StreamFlags::NON_BLOCKING);
        insert(context.0, flags, false, |context| context.backend.create_stream(non_blocking))
    }

    /// Borrows the caller's stream: on CUDA, the address of a CUstream. On both backends 0 and 1 are the context's
    /// default stream, and 2 is the per-thread stream of the thread that uses the handle.
    ///
    /// # Safety
    /// On CUDA, `native` must be 0, 1, 2 or a CUstream that outlives the handle.
    pub unsafe fn wrap(context: Context, native: u64) -> Result<Stream> {
        process::check()?;
        // SAFETY: this function requires of `native` what CUDA does. Other backends refuse every other value.
        insert(context.0, StreamFlags::DEFAULT, true, |context| unsafe { context.backend.wrap_stream(native) })
    }

    /// Like [`Stream::create`], with a native stream that `make` makes in the context's backend.
    pub(crate) fn create_as(
        context: Context,
        make: impl FnOnce(&dyn Backend) -> Result<NativeStream>,
    ) -> Result<Stream> {
        process::check()?;
        insert(context.0, StreamFlags::DEFAULT, false, |context| make(&*context.backend))
    }

    /// Ends the stream. Never blocks; its work still runs.
    pub fn destroy(self) -> Result<()> {
        if process::is_over() {
            return Ok(());
        }
        // A thread inside may wait for objects that the end of the handle releases.
        let stream = STREAMS.get(self.0)?;
        STREAMS.remove(self.0)?;
        if let Some(context) = stream.context().filter(|_| !stream.wrapped.load(Ordering::Relaxed)) {
            context.backend.destroy_stream(stream.native(), false);
        }
        Ok(())
    }

    /// Names the stream, for messages and traces. An empty name removes the name; a long one is truncated to
    /// [`Name::MAX`] bytes.
    pub fn set_name(self, name: &str) -> Result<()> {
        process::check()?;
        let slot = STREAMS.get(self.0)?;
        let stream = if probe::is_on() { slot.traced() } else { None };
        let name = Name::of(name);
        slot.named.store(true, Ordering::Relaxed);
        // Under the lock, to give a trace two names in the order in which the stream had them.
        let _named = names::set(&*slot, Some(name));
        if let Some(stream) = stream {
            probe::put(|| What::StreamName(stream, name));
            probe::put(|| What::Instant(Call::new("name").on(Some(stream))));
        }
        Ok(())
    }

    /// Returns the stream's name, if it is live and has one.
    pub fn name(self) -> Option<Name> {
        process::check().ok()?;
        STREAMS.get(self.0).ok()?.name()
    }

    /// Returns whether the stream has finished all submitted work.
    pub fn query(self) -> Result<bool> {
        let stream = usable(self.0)?;
        let done = stream.context.backend.query_stream(stream.to.native)?;
        if done {
            probe::acquire(&NATIVE_STREAMS);
        }
        Ok(done)
    }

    /// Blocks until the stream has finished all work submitted before the call, or until the deadline: [`Error::TimedOut`] then.
    pub fn sync(self, deadline: Option<Instant>) -> Result<()> {
        let _uncancelled = Uncancelled::new();
        let stream = usable(self.0)?;
        let _traced = probe::slice(|| Call::new("sync").on(Some(stream.traced())));
        stream.context.sync(Some(stream.to.native), deadline)
    }
}
