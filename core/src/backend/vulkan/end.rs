//! The end of a device's use: the owner's, by closing the last handle, or gevt's own, when nothing uses it any more. Where exit overtakes
//! it, it stops: the driver tears itself down then.

use super::batch::GatedBatch;
use super::device::Vulkan;
use super::exit;
use super::stream::VulkanStream;
use super::timeline::SLICE;
use crate::error::Result;
use crate::process::Uncancelled;
use crate::status::Status;
use std::time::Duration;

/// The pause between two attempts to release blocked queues.
const PAUSE: Duration = Duration::from_micros(50);

impl Vulkan {
    /// Lets no further call begin; with `used`, streams and events are still there, and answer that the context is gone.
    pub(super) fn begin_end(&self, used: bool) {
        self.calls.end();
        if used {
            self.lose(Status::CONTEXT_IS_DESTROYED);
        }
        self.notifier.end();
    }

    /// Blocks until none of gevt's work is in progress on the device, then destroys gevt's objects there. Fails if the
    /// process exits meanwhile.
    pub(super) fn finish_end(&self) -> Result<()> {
        let _uncancelled = Uncancelled::new();
        // Calls that are in progress may wait for the queue of a batch that is open.
        self.take_batches_back();
        self.calls.drain(None);
        // They may have begun one.
        self.take_batches_back();
        loop {
            let _use = exit::enter()?;
            if self.release() {
                break;
            }
            std::thread::sleep(PAUSE);
        }
        let streams = self.all_streams();
        streams.iter().try_for_each(|stream| stream.drain())?;
        let _use = exit::enter()?;
        self.notifier.wake_all(Status::CONTEXT_IS_DESTROYED);
        for stream in streams {
            stream.timeline.destroy();
            stream.state.lock().forget_waits();
        }
        self.times.end(self);
        if !self.made.wrapped {
            // SAFETY: gevt has made the device, and nothing of it is in use any more.
            unsafe { (self.functions.destroy)(self.handle, std::ptr::null()) };
        }
        exit::forget(self);
        Ok(())
    }

    fn take_batches_back(&self) {
        self.all_streams().into_iter().for_each(|stream| stream.give_up(true));
    }

    /// Signals values that the host will no longer produce, where the queues have caught up, to keep the queues from
    /// blocking on them. Returns whether all are signaled. No call of the device is in progress.
    pub(super) fn release(&self) -> bool {
        let Some(streams) = self.streams.try_lock() else { return false };
        // Each of them, as one may be what another's queue waits for.
        streams.iter().filter(|stream| !stream.release()).count() == 0
    }
}

impl VulkanStream {
    /// Blocks until the stream has finished all submitted work, or can no longer finish it.
    pub(super) fn finish(&self) {
        // An error leaves nothing to wait for.
        while self.timeline.block(self.given(), false, None) == Ok(false) {}
    }

    /// Like [`Vulkan::release`].
    fn release(&self) -> bool {
        let Some(mut state) = self.state.try_lock() else { return false };
        loop {
            let gate = state.gated.front().map(|&GatedBatch { value, number }| (value, number));
            // Values that the queue signals are left to it: batches that wait there, or are about to be submitted.
            let queues_own = gate.map(|(value, _)| value).or(state.batch.as_ref().map(|batch| batch.value()));
            let until = queues_own.map_or_else(|| self.given(), |value| value - 1);
            if self.timeline.sure() < until {
                match self.timeline.come_to(self.timeline.sure()) {
                    Ok(true) if self.timeline.signal_now(until).is_ok() => {}
                    Ok(false) => return false,
                    // The device is lost, or memory ran out: nothing more can be done.
                    _ => return true,
                }
            }
            let Some((value, number)) = gate else { return true };
            self.timeline.set_sure(value);
            self.queue().remove_gate(number);
            state.gated.pop_front();
        }
    }

    /// Blocks until the queue has signaled all submitted values. Fails if the process exits.
    fn drain(&self) -> Result<()> {
        loop {
            let _use = exit::enter()?;
            // An error is a device that is lost, which works on nothing.
            if self.timeline.sleep(self.timeline.sure(), SLICE) != Ok(false) {
                return Ok(());
            }
        }
    }
}
