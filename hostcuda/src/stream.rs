//! Streams: those of programs, and the default ones of contexts and of threads.

use crate::capture::{self, Capture};
use crate::code::{Code, Result};
use crate::context::{self, Context};
use crate::shared::Link;
use crate::table::{Handle, Table};
use crate::work::Work;
use gevt_core::host_api::{self, AtomicStream};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};

/// The flag of a stream that is not ordered against the default one.
pub(crate) const NON_BLOCKING: u32 = 1;
/// The numerically least and greatest priority.
pub(crate) const PRIORITIES: (i32, i32) = (0, -5);

/// A stream.
#[derive(Default)]
pub(crate) struct Stream {
    host: AtomicStream,
    context: Link<Context>,
    pub(crate) flags: AtomicU32,
    pub(crate) priority: AtomicI32,
    pub(crate) id: AtomicU64,
    /// Is there a capture? Spares the rest the lock.
    capturing: AtomicBool,
    capture: Mutex<Option<Arc<Capture>>>,
}

static STREAMS: Table<Stream> = Table::new(0xC2);
static IDS: AtomicU64 = AtomicU64::new(1);

/// One thread's own streams, by context; they end with it, and their work still runs.
struct Own(RefCell<Vec<(&'static Context, Handle)>>);

impl Drop for Own {
    fn drop(&mut self) {
        if host_api::check().is_ok() {
            self.0.get_mut().drain(..).for_each(|(_, handle)| _ = destroy(handle));
        }
    }
}

thread_local! {
    static OWN: Own = const { Own(RefCell::new(Vec::new())) };
}

impl Stream {
    /// The default stream of a context.
    pub(crate) fn default_of(context: &'static Context) -> Result<Stream> {
        let stream = Stream::default();
        stream.set(context, context.host.default_stream()?, 0, 0);
        Ok(stream)
    }

    fn set(&self, context: &'static Context, host: host_api::Stream, flags: u32, priority: i32) {
        self.context.set(context);
        self.host.store(host);
        self.flags.store(flags, Ordering::Relaxed);
        self.priority.store(priority, Ordering::Relaxed);
        self.id.store(IDS.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
    }

    pub(crate) fn context(&self) -> Result<&'static Context> {
        self.context.get().ok_or(Code::INVALID_HANDLE)
    }

    pub(crate) fn host(&self) -> Result<host_api::Stream> {
        self.host.load().ok_or(Code::INVALID_HANDLE)
    }

    pub(crate) fn is_default(&'static self) -> bool {
        self.context.get().is_some_and(|context| context.is_default(self))
    }

    pub(crate) fn is_blocking(&self) -> bool {
        self.flags.load(Ordering::Relaxed) & NON_BLOCKING == 0
    }

    /// The capture that the stream is in, over or not.
    #[inline]
    pub(crate) fn capture(&self) -> Option<Arc<Capture>> {
        if self.capturing.load(Ordering::Acquire) { self.capture.lock().clone() } else { None }
    }

    /// Puts the stream into a capture, or takes it out.
    pub(crate) fn set_capture(&self, capture: Option<Arc<Capture>>) {
        let mut place = self.capture.lock();
        self.capturing.store(capture.is_some(), Ordering::Release);
        *place = capture;
    }

    /// Refuses work of the default stream's that captured streams of its context would have to wait for.
    pub(crate) fn check_implicit(&'static self) -> Result {
        let context = self.context()?;
        if context.captures.load(Ordering::Acquire) > 0 && self.is_default() {
            capture::invalidate_blocking(context);
            return Err(Code::STREAM_CAPTURE_IMPLICIT);
        }
        Ok(())
    }

    /// Gives the stream work, or adds it to the stream's capture.
    pub(crate) fn submit(&'static self, work: Work) -> Result {
        self.check_implicit()?;
        match self.capture() {
            Some(capture) => capture.add(self, work),
            None => work.submit(self),
        }
    }

    /// Has the stream done all that it was given?
    pub(crate) fn query(&'static self) -> Result {
        self.check_uncaptured()?;
        if self.context()?.host.query_stream(self.host()?)? { Ok(()) } else { Err(Code::NOT_READY) }
    }

    /// Waits until the stream has done all that it was given.
    pub(crate) fn synchronize(&'static self) -> Result {
        self.check_uncaptured()?;
        Ok(self.context()?.host.sync_stream(self.host()?)?)
    }

    /// Refuses calls that a captured stream cannot answer; the capture is spoiled by them.
    fn check_uncaptured(&'static self) -> Result {
        self.check_implicit()?;
        if let Some(capture) = self.capture() {
            capture.invalidate();
            return Err(Code::STREAM_CAPTURE_UNSUPPORTED);
        }
        capture::check_unsafe_call()
    }
}

/// The stream of an argument; 0 and 1 are the current context's default stream, 2 the calling thread's own in it.
#[inline]
pub(crate) fn get(handle: Handle) -> Result<&'static Stream> {
    match handle {
        0 | 1 => context::current()?.default_stream(),
        2 => own(context::current()?),
        _ => {
            let stream = STREAMS.get(handle).ok_or(Code::INVALID_HANDLE)?;
            stream.context()?.check().map(|()| stream)
        }
    }
}

fn own(context: &'static Context) -> Result<&'static Stream> {
    let find = |own: &Own| {
        let mut streams = own.0.borrow_mut();
        if let Some((_, handle)) = streams.iter().find(|(known, _)| std::ptr::eq(*known, context)) {
            return get(*handle);
        }
        let handle = create_in(context, 0, 0)?;
        streams.push((context, handle));
        get(handle)
    };
    OWN.try_with(find).map_err(|_| Code::DEINITIALIZED)?
}

fn create_in(context: &'static Context, flags: u32, priority: i32) -> Result<Handle> {
    let host = context.host.create_stream(flags & NON_BLOCKING != 0)?;
    STREAMS.insert(|stream| stream.set(context, host, flags, priority)).ok_or(Code::OUT_OF_MEMORY)
}

/// Makes a stream in the current context. The priority is brought into its range, and only remembered.
pub(crate) fn create(flags: u32, priority: i32) -> Result<Handle> {
    let context = context::current()?;
    if flags & !NON_BLOCKING != 0 {
        return Err(Code::INVALID_VALUE);
    }
    create_in(context, flags, priority.clamp(PRIORITIES.1, PRIORITIES.0))
}

/// Ends a stream; what it was given still runs.
pub(crate) fn destroy(handle: Handle) -> Result {
    let end = |stream: &'static Stream| {
        if let Some(capture) = stream.capture() {
            capture.leave(stream);
        }
        if let (Ok(context), Ok(host)) = (stream.context(), stream.host()) {
            context.host.destroy_stream(host);
        }
    };
    STREAMS.remove(handle, end).ok_or(Code::INVALID_HANDLE)
}
