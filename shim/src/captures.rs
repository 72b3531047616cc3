//! The streams that are being captured: while there is one, the driver judges each query.

use crate::driver::types::{CUresult, CUstream};
use crate::process;
use parking_lot::Mutex;

/// The calling thread's own default stream, as a stream argument.
const PER_THREAD: usize = 2;

/// A capture that was invalidated, or that has streams which did not come back to it, is over as well.
const ENDED: [CUresult; 3] = [0, 901, 904];

/// A stream; the threads' own ones have one number in common.
#[derive(Clone, Copy, PartialEq, Eq)]
struct CaptureKey {
    stream: usize,
    thread: usize,
}

static CAPTURED: Mutex<Vec<CaptureKey>> = Mutex::new(Vec::new());

thread_local! {
    static THREAD: u8 = const { 0 };
}

/// `per_thread`: the function takes stream 0 as the calling thread's own.
fn key(stream: CUstream, per_thread: bool) -> CaptureKey {
    let stream = stream.address();
    let stream = if stream == 0 && per_thread { PER_THREAD } else { stream };
    let thread = if stream == PER_THREAD { THREAD.with(|own| &raw const *own as usize) } else { 0 };
    CaptureKey { stream, thread }
}

/// A capture of the stream has begun.
pub(crate) fn began(stream: CUstream, per_thread: bool) {
    let key = key(stream, per_thread);
    let mut captured = CAPTURED.lock();
    if !captured.contains(&key) {
        captured.push(key);
        process::capture_began();
    }
}

/// The driver has answered `code` to the end of a capture.
pub(crate) fn ended(stream: CUstream, per_thread: bool, code: CUresult) {
    if ENDED.contains(&code) {
        remove(key(stream, per_thread));
    }
}

/// The stream is gone, or another one has its pointer. Returns whether it was being captured.
pub(crate) fn stream_ended(stream: CUstream) -> bool {
    remove(key(stream, false))
}

fn remove(key: CaptureKey) -> bool {
    let mut captured = CAPTURED.lock();
    let place = captured.iter().position(|captured| *captured == key);
    if let Some(place) = place {
        captured.swap_remove(place);
        process::capture_ended();
    }
    place.is_some()
}
