//! The end of a device's use: the owner's, by closing the last handle, or gevt's own, when nothing uses it any more.

use super::device::Vulkan;
use super::stream::VulkanStream;
use super::timeline::SLICE;
use crate::process::Uncancelled;
use crate::status::Status;

impl Vulkan {
    /// Lets no further call begin; with `used`, streams and events are still there, and answer that the context is gone.
    pub(super) fn begin_end(&self, used: bool) {
        self.calls.end();
        if used {
            self.lose(Status::CONTEXT_IS_DESTROYED);
        }
        self.watcher.end();
    }

    /// Blocks until nothing of gevt's is under way on the device, and destroys what gevt has made there.
    pub(super) fn finish_end(&'static self) {
        let _uncancelled = Uncancelled::new();
        // Calls that are under way may wait for the queue of a batch that is open.
        self.take_batches_back();
        self.calls.drain(None);
        // They may have begun one.
        self.take_batches_back();
        let streams = std::mem::take(&mut *self.streams.lock());
        streams.iter().for_each(|stream| stream.open_gate());
        streams.iter().for_each(|stream| stream.drain());
        if let Some(call) = self.watcher.take_all(Status::CONTEXT_IS_DESTROYED) {
            call.destroy();
        }
        streams.iter().for_each(|stream| stream.timeline.destroy());
        self.times.end(self);
        if !self.made.adopted {
            // SAFETY: gevt has made the device, and nothing of it is in use any more.
            unsafe { (self.functions.destroy)(self.handle, std::ptr::null()) };
        }
    }
}

impl Vulkan {
    fn take_batches_back(&self) {
        let streams = self.streams.lock().clone();
        streams.iter().for_each(|stream| stream.give_up());
    }
}

impl VulkanStream {
    /// Blocks until the stream has done all that it was given, or cannot any more.
    pub(super) fn finish(&self) {
        // An error leaves nothing to wait for.
        while self.timeline.block(self.given(), false, None) == Ok(false) {}
    }

    /// Lets batches go on that wait in the queue for what the backlog will no longer do.
    fn open_gate(&self) {
        let gated = std::mem::take(&mut self.state.lock().gated);
        for value in gated {
            self.drain();
            if !self.timeline.is_known(value - 1) && self.timeline.signal_now(value - 1).is_err() {
                return;
            }
            self.timeline.set_sure(value);
        }
    }

    /// Blocks until the queue has signalled all that it was given.
    fn drain(&self) {
        self.wait_for(self.timeline.sure());
    }

    fn wait_for(&self, value: u64) {
        let semaphores = [self.timeline.semaphore];
        // An error is a device that is lost, which works on nothing.
        while self.timeline.device.sleep_until(&semaphores, &[value], SLICE) == Ok(false) {}
    }
}
