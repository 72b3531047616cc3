//! The end of a device's use: the owner's, by closing the last handle, or gevt's own, when nothing uses it any more. Where exit overtakes
//! it, it stops: the driver tears itself down then.

use super::calls::PAUSE;
use super::device::Vulkan;
use super::devices;
use super::exit;
use super::native::part;
use super::stream::VulkanStream;
use super::timeline::{SLICE, Timeline};
use crate::error::Result;
use crate::process::Uncancelled;
use crate::status::Status;

impl Vulkan {
    /// Lets no further call begin, blocks until none of gevt's work is in progress on the device, and then destroys gevt's objects there. With
    /// `used`, streams and events are still there, and answer that the context is gone. Fails if the process exits meanwhile.
    pub(super) fn end(&self, used: bool) -> Result<()> {
        self.calls.end();
        if used {
            self.lose(Status::CONTEXT_IS_DESTROYED);
        }
        self.notifier.end();
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
        let mut timelines: Vec<_> = streams.iter().map(|stream| &*stream.timeline).collect();
        for queues in [&self.queues, &self.old_queues] {
            timelines
                .extend(queues.lock().iter().map(part).filter_map(|queue| queue.marks.get().map(|marks| &**marks)));
        }
        timelines.iter().try_for_each(|timeline| timeline.drain())?;
        let _use = exit::enter()?;
        self.notifier.wake_all(Status::CONTEXT_IS_DESTROYED);
        // SAFETY: the timelines are drained, no call is in progress, and none begins.
        timelines.into_iter().for_each(|timeline| unsafe { timeline.destroy() });
        for stream in streams {
            // They have their timelines in use. Nothing is submitted any more.
            let mut state = stream.state.lock();
            state.waits.clear();
            state.batch_waits.clear();
        }
        self.times.end();
        if !self.made.wrapped {
            // SAFETY: gevt has made the device, and nothing of it is in use any more.
            unsafe { (self.functions.destroy)(self.handle, std::ptr::null()) };
        }
        devices::forget(self);
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
    /// Like [`Vulkan::release`].
    fn release(&self) -> bool {
        let Some(mut state) = self.state.try_lock() else { return false };
        loop {
            let gated = state.gated.front().copied();
            // Values that the queue signals are left to it: batches that wait there, or are about to be submitted.
            let queues_own = gated.or(Some(state.batch).filter(|value| *value != 0));
            let until = queues_own.map_or_else(|| self.given(), |value| value - 1);
            if self.timeline.sure() < until {
                match self.timeline.counter().map(|counter| counter >= self.timeline.sure()) {
                    Ok(true) if self.timeline.signal_now(until).is_ok() => {}
                    Ok(false) => return false,
                    // The device is lost, or memory ran out: nothing more can be done.
                    _ => return true,
                }
            }
            let Some(value) = gated else { return true };
            self.pass_gate(&mut state, value);
        }
    }
}

impl Timeline {
    /// Blocks until the queue has signaled all submitted values. Fails if the process exits.
    fn drain(&self) -> Result<()> {
        loop {
            let _use = exit::enter()?;
            // An error is a device that is lost, which works on nothing.
            if self.sleep(self.sure(), SLICE) != Ok(false) {
                return Ok(());
            }
        }
    }
}
