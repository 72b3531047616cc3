//! The streams that are being captured: while there is one, the driver judges each query.

use crate::driver::contexts::ContextId;
use crate::driver::types::code::{STREAM_CAPTURE_INVALIDATED, STREAM_CAPTURE_UNJOINED};
use crate::driver::types::{CUresult, CUstream};
use crate::process;
use cuda_abi::STREAM_PER_THREAD;
use gevt_core::lock::Mutex;

/// A capture that was invalidated, or that has streams which did not come back to it, is over as well.
const ENDED: [CUresult; 3] = [0, STREAM_CAPTURE_INVALIDATED, STREAM_CAPTURE_UNJOINED];

/// A stream; the threads' own ones have one number in common.
#[derive(Clone, Copy, PartialEq, Eq)]
struct CaptureKey {
    stream: usize,
    thread: usize,
}

/// A capture that is under way.
#[derive(Clone, Copy)]
pub(crate) struct Capture {
    key: CaptureKey,
    context: Option<ContextId>,
}

static CAPTURES: Mutex<Vec<Capture>> = Mutex::new(Vec::new());

thread_local! {
    static THREAD: u8 = const { 0 };
}

/// `per_thread`: the function takes stream 0 as the calling thread's own.
fn key(stream: CUstream, per_thread: bool) -> CaptureKey {
    let stream = stream.address();
    let stream = if stream == 0 && per_thread { STREAM_PER_THREAD } else { stream };
    let thread = if stream == STREAM_PER_THREAD { THREAD.with(|own| &raw const *own as usize) } else { 0 };
    CaptureKey { stream, thread }
}

impl Capture {
    /// Returns the capture of the stream that may begin.
    pub(crate) fn of(stream: CUstream, per_thread: bool) -> Capture {
        Capture { key: key(stream, per_thread), context: ContextId::of(stream) }
    }

    /// The capture has begun.
    pub(crate) fn began(self) {
        let mut captures = CAPTURES.lock();
        if !captures.iter().any(|capture| capture.key == self.key) {
            captures.push(self);
            process::capture_began();
        }
    }
}

/// The driver has answered `code` to the end of a capture.
pub(crate) fn ended(stream: CUstream, per_thread: bool, code: CUresult) {
    if ENDED.contains(&code) {
        remove(key(stream, per_thread));
    }
}

/// The stream is gone, or another one has its pointer. Returns the capture of it that was under way.
pub(crate) fn stream_ended(stream: CUstream) -> Option<Capture> {
    remove(key(stream, false))
}

fn remove(key: CaptureKey) -> Option<Capture> {
    let mut captures = CAPTURES.lock();
    let place = captures.iter().position(|capture| capture.key == key)?;
    process::capture_ended();
    Some(captures.swap_remove(place))
}

/// A context has ended. Captures go with their contexts.
pub(crate) fn forget_ended() {
    CAPTURES.lock().retain(|capture| {
        let exists = capture.context.is_some_and(ContextId::exists);
        if !exists {
            process::capture_ended();
        }
        exists
    });
}
