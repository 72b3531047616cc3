//! The calling thread's own stream of a device, as CUDA's per-thread default stream.

use super::device::Vulkan;
use super::stream::VulkanStream;
use crate::backend::NativeStream;
use crate::error::Result;
use std::cell::RefCell;

/// The token of whichever thread uses it.
pub(super) const PER_THREAD: NativeStream = NativeStream(2);

/// One thread's streams, by device. They are closed when the thread ends, and their work continues. Closing them does
/// not call the driver, whose per-thread state may be gone already.
struct Streams(RefCell<Vec<&'static VulkanStream>>);

impl Drop for Streams {
    fn drop(&mut self) {
        if !crate::process::is_over() {
            self.0.get_mut().drain(..).for_each(|stream| stream.close(false));
        }
    }
}

thread_local! {
    static STREAMS: Streams = const { Streams(RefCell::new(Vec::new())) };
}

impl Vulkan {
    /// The stream of a token; the calling thread's own is made when it is first asked for.
    #[inline]
    pub(super) fn stream(&'static self, token: NativeStream) -> Result<&'static VulkanStream> {
        if token == PER_THREAD { self.threads_stream() } else { Ok(VulkanStream::of(token)) }
    }

    fn threads_stream(&'static self) -> Result<&'static VulkanStream> {
        let find = |streams: &Streams| {
            let mut streams = streams.0.borrow_mut();
            let own = |stream: &&&'static VulkanStream| std::ptr::eq(stream.timeline.device, self);
            if let Some(stream) = streams.iter().find(own) {
                return Ok(*stream);
            }
            let stream = VulkanStream::open(self.next_queue()?, false)?;
            streams.push(stream);
            Ok(stream)
        };
        // A thread that is ending has lost its per-thread stream.
        STREAMS.try_with(find).unwrap_or_else(|_| self.first_stream())
    }

    /// The default stream.
    pub(super) fn first_stream(&'static self) -> Result<&'static VulkanStream> {
        self.default.get_or_try_init(|| VulkanStream::open(self.next_queue()?, false)).copied()
    }
}
