//! The streams that are being captured: while there is one, the driver judges each query.

use crate::driver::types::code::{STREAM_CAPTURE_INVALIDATED, STREAM_CAPTURE_UNJOINED};
use crate::driver::types::{CUresult, CUstream};
use crate::process;
use cuda_abi::STREAM_PER_THREAD;
use gevt_core::lock::Mutex;

/// A capture that was invalidated, or that has streams which did not come back to it, is over as well.
const ENDED: [CUresult; 3] = [0, STREAM_CAPTURE_INVALIDATED, STREAM_CAPTURE_UNJOINED];

/// A capture that may be under way: its stream, and the thread if the stream is the thread's own. All threads' own
/// streams have the same handle.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Capture {
    stream: usize,
    thread: usize,
}

static CAPTURES: Mutex<Vec<Capture>> = Mutex::new(Vec::new());

thread_local! {
    static THREAD: u8 = const { 0 };
}

impl Capture {
    /// Returns the capture of a stream. `per_thread`: the function takes stream 0 as the calling thread's own.
    pub(crate) fn of(stream: CUstream, per_thread: bool) -> Capture {
        let stream = stream.address();
        let stream = if stream == 0 && per_thread { STREAM_PER_THREAD } else { stream };
        let thread = if stream == STREAM_PER_THREAD { THREAD.with(|own| &raw const *own as usize) } else { 0 };
        Capture { stream, thread }
    }

    /// The capture has begun.
    pub(crate) fn began(self) {
        let mut captures = CAPTURES.lock();
        if !captures.contains(&self) {
            captures.push(self);
            process::capture_began();
        }
    }

    /// The driver has answered `code` to the end of the capture.
    pub(crate) fn ended(self, code: CUresult) {
        if ENDED.contains(&code) {
            self.remove();
        }
    }

    /// The capture is over: its stream is gone, or another one has its pointer. Returns whether it was under way.
    pub(crate) fn remove(self) -> bool {
        let mut captures = CAPTURES.lock();
        let place = captures.iter().position(|capture| *capture == self);
        if let Some(place) = place {
            captures.swap_remove(place);
            process::capture_ended();
        }
        place.is_some()
    }
}
