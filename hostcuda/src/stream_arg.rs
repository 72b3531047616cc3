//! Stream arguments. They may name default streams: the context's, and the calling thread's.

use crate::code::{Code, Result};
use crate::context::{self, Context};
use crate::handle::Handle;
use crate::stream::{self, Stream};
use crate::submit;
use cuda_abi::{STREAM_LEGACY, STREAM_PER_THREAD};
use gevt_core::process;
use std::cell::RefCell;

/// A stream argument: a handle or a number. 0 and 1 name the current context's default stream, and 2 the calling thread's default stream in
/// that context.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct StreamArg(pub(crate) usize);

/// A thread's default streams, by context. They are destroyed when the thread exits, and their submitted work still runs.
struct OwnStreams(RefCell<Vec<(&'static Context, Handle)>>);

impl Drop for OwnStreams {
    fn drop(&mut self) {
        if process::check().is_ok() {
            self.0.get_mut().drain(..).for_each(|(_, handle)| _ = submit::destroy(handle));
        }
    }
}

thread_local! {
    static OWN: OwnStreams = const { OwnStreams(RefCell::new(Vec::new())) };
}

impl StreamArg {
    pub(crate) const DEFAULT: StreamArg = StreamArg(0);
    pub(crate) const PER_THREAD: StreamArg = StreamArg(STREAM_PER_THREAD);

    /// The argument for a function in whose API stream 0 is the per-thread default stream.
    pub(crate) fn per_thread(self) -> StreamArg {
        if self == StreamArg::DEFAULT { StreamArg::PER_THREAD } else { self }
    }

    #[inline]
    pub(crate) fn get(self) -> Result<&'static Stream> {
        match self.0 {
            0 | STREAM_LEGACY => stream::default_of(context::current()?),
            STREAM_PER_THREAD => own(context::current()?),
            handle => stream::get(handle),
        }
    }

    /// Same as [`StreamArg::get`], for records and waits. A driver reads freed memory there if the stream was destroyed; this refuses the
    /// handle.
    #[inline]
    pub(crate) fn get_for_event(self) -> Result<&'static Stream> {
        self.get().map_err(|code| {
            let destroyed =
                code == Code::CONTEXT_IS_DESTROYED && self.0 > STREAM_PER_THREAD && stream::find(self.0).is_err();
            if destroyed { Code::INVALID_HANDLE } else { code }
        })
    }
}

fn own(context: &'static Context) -> Result<&'static Stream> {
    let find = |own: &OwnStreams| {
        let mut streams = own.0.borrow_mut();
        if let Some((_, handle)) = streams.iter().find(|(known, _)| std::ptr::eq(*known, context)) {
            return stream::get(*handle);
        }
        let handle = stream::create(context, 0, 0)?;
        streams.push((context, handle));
        stream::get(handle)
    };
    OWN.try_with(find).map_err(|_| Code::DEINITIALIZED)?
}
