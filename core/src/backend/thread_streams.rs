//! The calling thread's own streams, as CUDA's per-thread default stream: one of each device that it has used.

use super::NativeStream;
use crate::error::{Error, Result};
use crate::{process, thread};
use std::cell::RefCell;
use std::mem::ManuallyDrop;

/// Keeps a thread's stream and its device until the thread ends.
pub(crate) trait Owner {
    /// Closes the stream, whose work continues. Calls no driver, whose per-thread state may be gone already.
    fn close(&self);

    /// Returns whether nothing can be submitted to the stream any more.
    fn has_ended(&self) -> bool;
}

/// A stream of the thread, with its device's address.
struct Own {
    device: usize,
    stream: NativeStream,
    owner: Box<dyn Owner>,
}

thread_local! {
    static STREAMS: ManuallyDrop<RefCell<Vec<Own>>> = const { ManuallyDrop::new(RefCell::new(Vec::new())) };
}

/// The thread ends.
fn end() {
    let streams = STREAMS.with(|streams| streams.take());
    if process::is_over() {
        return std::mem::forget(streams);
    }
    streams.iter().for_each(|own| own.owner.close());
}

/// Returns the calling thread's stream of the device at that address. `open` makes it when it is first asked for.
pub(crate) fn get<O: Owner + 'static>(
    device: usize,
    open: impl FnOnce() -> Result<(NativeStream, O)>,
) -> Result<NativeStream> {
    STREAMS.with(|streams| {
        let mut streams = streams.borrow_mut();
        if let Some(own) = streams.iter().find(|own| own.device == device) {
            return Ok(own.stream);
        }
        for own in streams.extract_if(.., |own| own.owner.has_ended()) {
            own.owner.close();
        }
        if !thread::at_end(end) || streams.try_reserve(1).is_err() {
            return Err(Error::OutOfMemory);
        }
        let (stream, owner) = open()?;
        streams.push(Own { device, stream, owner: Box::new(owner) });
        Ok(stream)
    })
}
