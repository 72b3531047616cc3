//! Streams, and the table of their handles.

use crate::code::{Code, Result};
use crate::context::Context;
use crate::link::Link;
use crate::table::{Handle, Table};
use gevt_core::host_api::{self, AtomicStream};
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
    /// Whether it is its context's default stream.
    default: AtomicBool,
    /// The number of the capture that it is in; 0 is none.
    pub(crate) capture: AtomicU64,
}

static STREAMS: Table<Stream> = Table::new(0xC2);
static IDS: AtomicU64 = AtomicU64::new(1);

impl Stream {
    fn set(&self, context: &'static Context, host: host_api::Stream, flags: u32, priority: i32, default: bool) {
        self.context.set(context);
        self.host.store(host);
        self.flags.store(flags, Ordering::Relaxed);
        self.priority.store(priority, Ordering::Relaxed);
        self.id.store(IDS.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        self.default.store(default, Ordering::Relaxed);
    }

    pub(crate) fn context(&self) -> Result<&'static Context> {
        self.context.get().ok_or(Code::INVALID_HANDLE)
    }

    pub(crate) fn host(&self) -> Result<host_api::Stream> {
        self.host.load().ok_or(Code::INVALID_HANDLE)
    }

    pub(crate) fn is_default(&self) -> bool {
        self.default.load(Ordering::Relaxed)
    }

    pub(crate) fn is_blocking(&self) -> bool {
        self.flags.load(Ordering::Relaxed) & NON_BLOCKING == 0
    }

    /// Returns whether work that is given to the stream now could as well be done at once.
    pub(crate) fn is_idle(&self) -> Result<bool> {
        Ok(self.context()?.host.is_idle(self.host()?)?)
    }

    /// Waits until the stream has done all that it was given, whether or not it is captured.
    pub(crate) fn drain(&self) -> Result {
        Ok(self.context()?.host.sync_stream(self.host()?)?)
    }
}

/// Returns the stream of a handle, whose context must be live.
#[inline]
pub(crate) fn get(handle: Handle) -> Result<&'static Stream> {
    let stream = STREAMS.get(handle).ok_or(Code::INVALID_HANDLE)?;
    stream.context()?.check().map(|()| stream)
}

/// Returns the default stream of a context.
pub(crate) fn default_of(context: &'static Context) -> Result<&'static Stream> {
    let handle = match context.default_stream.get() {
        Some(handle) => *handle,
        None => {
            let host = context.host.default_stream()?;
            let made = insert(context, host, 0, 0, true)?;
            *context.default_stream.get_or_init(|| made)
        }
    };
    get(handle)
}

/// Makes a stream. The priority is brought into its range, and only remembered.
pub(crate) fn create(context: &'static Context, flags: u32, priority: i32) -> Result<Handle> {
    if flags & !NON_BLOCKING != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let host = context.host.create_stream(flags & NON_BLOCKING != 0)?;
    insert(context, host, flags, priority.clamp(PRIORITIES.1, PRIORITIES.0), false)
}

fn insert(
    context: &'static Context,
    host: host_api::Stream,
    flags: u32,
    priority: i32,
    default: bool,
) -> Result<Handle> {
    STREAMS.insert(|stream| stream.set(context, host, flags, priority, default)).ok_or(Code::OUT_OF_MEMORY)
}

/// Ends a stream: `leave` takes it out of its capture. What it was given still runs.
pub(crate) fn remove(handle: Handle, leave: impl FnOnce(&'static Stream)) -> Result {
    let end = |stream: &'static Stream| {
        leave(stream);
        if let (Ok(context), Ok(host)) = (stream.context(), stream.host()) {
            context.host.destroy_stream(host);
        }
    };
    STREAMS.remove(handle, end).ok_or(Code::INVALID_HANDLE)
}
