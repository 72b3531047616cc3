//! The streams that are being captured: while there is one, the driver judges each query.

use crate::driver::types::{Code, Stream};
use crate::process;
use parking_lot::Mutex;

/// The calling thread's own default stream, as a stream argument.
const PER_THREAD: usize = 2;

/// A capture that was invalidated, or that has streams which did not come back to it, is over as well.
const ENDED: [Code; 3] = [0, 901, 904];

/// A stream; the threads' own ones have one number in common.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    stream: usize,
    thread: usize,
}

static CAPTURED: Mutex<Vec<Key>> = Mutex::new(Vec::new());

thread_local! {
    static THREAD: u8 = const { 0 };
}

/// `per_thread`: the function takes stream 0 as the calling thread's own.
fn key(stream: Stream, per_thread: bool) -> Key {
    let stream = stream.0 as usize;
    let stream = if stream == 0 && per_thread { PER_THREAD } else { stream };
    let thread = if stream == PER_THREAD { THREAD.with(|own| &raw const *own as usize) } else { 0 };
    Key { stream, thread }
}

/// The driver has answered `code` to the beginning of a capture.
pub(crate) fn began(stream: Stream, per_thread: bool, code: Code) -> Code {
    let key = key(stream, per_thread);
    let mut captured = CAPTURED.lock();
    if code == 0 && !captured.contains(&key) {
        captured.push(key);
        process::capture_began();
    }
    code
}

/// The driver has answered `code` to the end of a capture.
pub(crate) fn ended(stream: Stream, per_thread: bool, code: Code) -> Code {
    if ENDED.contains(&code) {
        remove(key(stream, per_thread));
    }
    code
}

/// There is no such stream any more, or another one has its pointer; was it being captured?
pub(crate) fn stream_ended(stream: Stream) -> bool {
    remove(key(stream, false))
}

fn remove(key: Key) -> bool {
    let mut captured = CAPTURED.lock();
    let place = captured.iter().position(|captured| *captured == key);
    if let Some(place) = place {
        captured.swap_remove(place);
        process::capture_ended();
    }
    place.is_some()
}
