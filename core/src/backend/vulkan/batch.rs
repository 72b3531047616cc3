//! Batches: records and waits in the program's submits.
//!
//! The value is assigned when the batch begins, and with it the events' marks. If the submit fails, an empty submit
//! signals the value, which is known to have failed. If that fails as well, or if earlier values are in the backlog,
//! the value is queued there: the host signals it once the timeline has reached the value before it.

use super::backlog::{Item, Work};
use super::calls::ENDED;
use super::cell::{LockedEvents, Places};
use super::queue::Queue;
use super::stamp::expect;
use super::stream::{State, VulkanStream};
use super::submit_lists::Batch;
use super::timeline::Awaited;
use crate::backend::{EventRef, StreamRef};
use crate::error::{Error, Result};
use crate::kind::Kind;
use crate::lock::MutexGuard;
use crate::status::Status;
use crate::sync::wait_for_another;
use ash::vk;
use std::sync::atomic::Ordering;

const OPEN: Error = Error::Batch("a batch of the stream is open");
/// The bits of a ticket that have the batch's value; the others have the stream's number.
const VALUE_BITS: u32 = 40;

/// The failure of a canceled batch's events.
pub(super) const CANCELED: Status = Status::ILLEGAL_STATE;

const NOT_OPEN: Error = Error::Batch("no batch with that ticket is open on the stream");

impl VulkanStream {
    /// Begins a batch that records the events. The stream and they may end meanwhile.
    pub(super) fn begin(
        &'static self,
        stream: &StreamRef<'_>,
        events: impl Iterator<Item = EventRef<'static>> + Clone,
    ) -> Result<Batch> {
        // The stream may end while this waits, and serve another queue.
        let queue = self.queue();
        queue.open_batch()?;
        self.begin_open(queue, stream, events).inspect_err(|_| queue.close_batch())
    }

    /// Begins the batch that has locked the queue.
    fn begin_open(
        &'static self,
        queue: &Queue,
        stream: &StreamRef<'_>,
        events: impl Iterator<Item = EventRef<'static>> + Clone,
    ) -> Result<Batch> {
        let device = &self.timeline.device;
        let mut places = Places::new();
        let mut state = self.state.lock();
        let mut tries = 0;
        let locked = loop {
            // Under the lock: the ends of the device and of the stream take back the batches that were begun before.
            device.check_pinned()?;
            if !stream.lasts() {
                return Err(Error::StaleHandle(Kind::Stream));
            }
            if state.batch != 0 {
                return Err(OPEN);
            }
            places.clear();
            if let Some(locked) = LockedEvents::lock(events.clone(), &mut places)? {
                break locked;
            }
            drop(state);
            wait_for_another(tries);
            tries += 1;
            state = self.state.lock();
        };
        let (value, gated) = (self.given() + 1, state.is_busy());
        state.gated.try_reserve(gated.into()).map_err(|_| Error::OutOfMemory)?;
        let State { lists, waits, batch_waits, .. } = &mut *state;
        lists.fill(waits, &self.timeline, value, gated)?;
        batch_waits.clear();
        std::mem::swap(batch_waits, waits);
        self.give(&state);
        if !places.is_empty() {
            expect(&places, device, queue.family, &self.timeline, value);
        }
        locked.record(&self.times, &self.timeline, value);
        state.batch = value;
        Ok(state.lists.batch(self.ticket(value)))
    }

    /// The ticket of the batch with that value, and of no other.
    fn ticket(&self, value: u64) -> u64 {
        self.serial << VALUE_BITS | value
    }

    /// Ends the batch: its submit was made, or failed for that reason. The queue is unlocked also if the device is lost or its
    /// use has ended; nothing of the device's is called then.
    pub(super) fn end(&'static self, ticket: u64, failed: Option<Status>) -> Result<()> {
        let state = self.state.lock();
        if state.batch == 0 || ticket != self.ticket(state.batch) {
            // Its owner's end of the context has taken it back.
            return Err(if self.timeline.device.calls.has_ended() { ENDED } else { NOT_OPEN });
        }
        self.end_open(state, failed, true);
        Ok(())
    }

    /// Ends the batch that is open, in the way of [`VulkanStream::end`]. Calls the driver only if `may_submit`.
    fn end_open(&'static self, mut state: MutexGuard<'_, State>, failed: Option<Status>, may_submit: bool) {
        let (queue, value) = (self.queue(), std::mem::take(&mut state.batch));
        if failed.is_none() {
            queue.device.note_submit();
        }
        match failed {
            // The backlog does not tell: a worker drops it if the device is lost.
            None if self.timeline.sure() < value - 1 => {
                state.gated.push_back(value);
                queue.gates.fetch_add(1, Ordering::Relaxed);
            }
            None => self.timeline.set_sure(value),
            Some(status) => {
                if self.take_back(&mut state, value, status, may_submit).is_err() {
                    // Out of memory while storing this batch's failure.
                    self.timeline.device.lose(Status::OUT_OF_MEMORY);
                }
            }
        }
        queue.close_batch();
        self.go_on(state);
    }

    /// The value of the batch has failed, and is signaled all the same.
    fn take_back(&'static self, state: &mut State, value: u64, status: Status, may_submit: bool) -> Result<()> {
        let State { batch_waits, waits, backlog, .. } = state;
        let reserved = backlog.try_reserve(1).and_then(|()| batch_waits.try_reserve(waits.len()));
        reserved.map_err(|_| Error::OutOfMemory)?;
        let error = if status == Status::CONTEXT_IS_DESTROYED { ENDED } else { Error::SubmitFailed(status) };
        self.timeline.spans.fail(value, error)?;
        let is_first = backlog.front().is_none_or(|first| first.value > value);
        if is_first && may_submit && self.signal_in_batch(batch_waits, value) {
            batch_waits.clear();
        } else {
            // Waits that were collected meanwhile come after these.
            batch_waits.append(waits);
            std::mem::swap(batch_waits, waits);
            let at = backlog.partition_point(|item| item.value < value);
            backlog.insert(at, Item { value, work: Work::Nothing });
        }
        Ok(())
    }

    /// Makes the queue signal the value of the open batch, whose submit failed, after the waits. Returns false if that fails too, or if
    /// another thread has begun the batch and may be in its submit.
    fn signal_in_batch(&'static self, waits: &[Awaited], value: u64) -> bool {
        let queue = self.queue();
        let Ok(_call) = self.timeline.device.enter() else { return false };
        queue.is_open_here() && queue.in_batch().submit(waits, vk::CommandBuffer::null(), &self.timeline, value).is_ok()
    }

    /// Takes back the batch that is open, if there is one. Calls the driver only if `may_submit`.
    pub(super) fn give_up(&'static self, may_submit: bool) {
        let state = self.state.lock();
        if state.batch != 0 {
            let has_ended = self.timeline.device.calls.has_ended();
            let status = if has_ended { Status::CONTEXT_IS_DESTROYED } else { CANCELED };
            self.end_open(state, Some(status), may_submit);
        }
    }
}
