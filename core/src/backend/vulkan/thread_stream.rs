//! The calling thread's own stream of a device, as CUDA's per-thread default stream.

use super::device::{DeviceUse, Vulkan};
use super::stream::VulkanStream;
use crate::backend::NativeStream;
use crate::error::{Error, Result};
use crate::{process, thread};
use std::cell::RefCell;
use std::mem::ManuallyDrop;

/// The token of whichever thread uses it.
pub(super) const PER_THREAD: NativeStream = NativeStream(2);

/// A stream, and its device, which stays in memory as long as the thread has the stream.
struct OwnStream {
    stream: &'static VulkanStream,
    device: DeviceUse,
}

thread_local! {
    static STREAMS: ManuallyDrop<RefCell<Vec<OwnStream>>> = const { ManuallyDrop::new(RefCell::new(Vec::new())) };
}

/// Closes the streams of the thread, which ends; their work continues. Closing them does not call the driver, whose per-thread
/// state may be gone already.
fn end() {
    let streams = STREAMS.with(|streams| streams.take());
    if process::is_over() {
        return std::mem::forget(streams);
    }
    streams.into_iter().for_each(|own| own.stream.close(false));
}

impl Vulkan {
    /// The stream of a token; the calling thread's own is made when it is first asked for.
    #[inline]
    pub(super) fn stream(&self, token: NativeStream) -> Result<&'static VulkanStream> {
        if token == PER_THREAD { self.threads_stream() } else { Ok(VulkanStream::of(token)) }
    }

    fn threads_stream(&self) -> Result<&'static VulkanStream> {
        STREAMS.with(|streams| {
            let mut streams = streams.borrow_mut();
            if let Some(own) = streams.iter().find(|own| std::ptr::eq(own.device.get(), self)) {
                return Ok(own.stream);
            }
            for own in streams.extract_if(.., |own| own.device.calls.has_ended()) {
                own.stream.close(false);
            }
            if !thread::at_end(end) || streams.try_reserve(1).is_err() {
                return Err(Error::OutOfMemory);
            }
            let stream = VulkanStream::open(self.next_queue()?, false, false)?;
            streams.push(OwnStream { stream, device: self.used() });
            Ok(stream)
        })
    }

    /// The default stream.
    pub(super) fn first_stream(&self) -> Result<&'static VulkanStream> {
        self.default.get_or_try_init(|| VulkanStream::open(self.next_queue()?, false, false)).copied()
    }
}
