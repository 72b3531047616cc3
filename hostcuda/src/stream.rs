//! Streams, and the table of their handles.

use crate::code::{Code, Result};
use crate::context::Context;
use crate::handle::{Handle, of_c, to_c};
pub(crate) use cuda_abi::STREAM_NON_BLOCKING as NON_BLOCKING;
use gevt_core::atomic_ref::AtomicRef;
use gevt_core::host_streams;
use gevt_core::table::{Recycle, Word, table};
use gevt_core::{Error, StreamFlags};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};

/// The least and greatest priorities.
pub(crate) const PRIORITIES: (i32, i32) = (0, -5);

#[derive(Default)]
pub(crate) struct Stream {
    core: AtomicU64,
    context: AtomicRef<Context>,
    pub(crate) flags: AtomicU32,
    pub(crate) priority: AtomicI32,
    pub(crate) id: AtomicU64,
    default: AtomicBool,
    /// The number of the capture that it is in, or 0.
    pub(crate) capture: AtomicU64,
}

table! {
    static STREAMS: Stream, Stream;
}

impl Recycle for Stream {
    fn recycle(&self, _: Word) {
        let _ = self.core().destroy();
    }
}

impl Stream {
    pub(crate) fn core(&self) -> gevt_core::Stream {
        gevt_core::Stream::from_bits(self.core.load(Ordering::Relaxed))
    }

    pub(crate) fn context(&self) -> Result<&'static Context> {
        self.context.load().ok_or(Code::INVALID_HANDLE)
    }

    pub(crate) fn is_default(&self) -> bool {
        self.default.load(Ordering::Relaxed)
    }

    pub(crate) fn is_blocking(&self) -> bool {
        self.flags.load(Ordering::Relaxed) & NON_BLOCKING == 0
    }

    /// Returns whether work submitted now could run at once.
    pub(crate) fn is_idle(&self) -> Result<bool> {
        Ok(host_streams::is_idle(self.core())?)
    }

    /// Waits until all submitted work has completed, even if the stream is captured.
    pub(crate) fn drain(&self) -> Result {
        Ok(self.core().sync(None)?)
    }
}

/// Returns the stream of a handle. For a destroyed stream, a driver reports that its context was destroyed.
#[inline]
pub(crate) fn find(handle: Handle) -> Result<&'static Stream> {
    STREAMS.peek(of_c(handle)).map_err(|error| match error {
        Error::StaleHandle(_) => Code::CONTEXT_IS_DESTROYED,
        error => error.into(),
    })
}

/// Returns the stream of a handle, whose context must be live.
#[inline]
pub(crate) fn get(handle: Handle) -> Result<&'static Stream> {
    let stream = find(handle)?;
    stream.context()?.check().map(|()| stream)
}

/// Returns the default stream of a context.
pub(crate) fn default_of(context: &'static Context) -> Result<&'static Stream> {
    let handle = match context.default_stream.get() {
        Some(handle) => *handle,
        None => {
            // SAFETY: 0 is the default stream.
            let stream = unsafe { gevt_core::Stream::wrap(context.core, 0) }?;
            let made = insert(context, stream, 0, 0, true)?;
            *context.default_stream.get_or_init(|| made)
        }
    };
    get(handle)
}

/// Creates a stream. The priority is clamped to its range. It is stored, but has no effect.
pub(crate) fn create(context: &'static Context, flags: u32, priority: i32) -> Result<Handle> {
    if flags & !NON_BLOCKING != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let core = gevt_core::Stream::create(context.core, StreamFlags::from_bits(flags))?;
    insert(context, core, flags, priority.clamp(PRIORITIES.1, PRIORITIES.0), false)
}

fn insert(
    context: &'static Context,
    core: gevt_core::Stream,
    flags: u32,
    priority: i32,
    default: bool,
) -> Result<Handle> {
    static IDS: AtomicU64 = AtomicU64::new(1);
    let made = STREAMS.insert(|stream| {
        stream.context.store(Some(context));
        stream.core.store(core.to_bits(), Ordering::Relaxed);
        stream.flags.store(flags, Ordering::Relaxed);
        stream.priority.store(priority, Ordering::Relaxed);
        stream.id.store(IDS.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        stream.default.store(default, Ordering::Relaxed);
    });
    made.map(to_c).map_err(|error| {
        let _ = core.destroy();
        error.into()
    })
}

/// Removes a stream that is in no capture. Its submitted work still runs.
pub(crate) fn remove(handle: Handle) -> Result {
    find(handle)?;
    Ok(STREAMS.remove(of_c(handle))?)
}
