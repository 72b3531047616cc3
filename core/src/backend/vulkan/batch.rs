//! Batches: records and waits in the program's submits.
//!
//! The value is assigned when the batch begins, and with it the events' marks. If the submit fails, an empty submit
//! signals the value, which is known to have failed. If that fails as well, or if earlier values are in the backlog,
//! the value is queued there: the host signals it once the timeline has reached the value before it.

use super::backlog::{Item, Work};
use super::calls::ENDED;
use super::cell::{VulkanCell, VulkanMark, mark_of, programs_place};
use super::stamp::TimePlace;
use super::stream::{State, VulkanStream, check_recordable};
use super::submit::Batch;
use super::timeline::Awaited;
use crate::backend::Cell;
use crate::error::{Error, Result};
use crate::probe;
use crate::status::Status;
use ash::vk;

const OPEN: Error = Error::Batch("a batch of the stream is open");
/// The bits of a ticket that have the batch's value; the others have the stream's number.
const VALUE_BITS: u32 = 40;

/// The failure of a canceled batch's events.
pub(super) const CANCELED: Status = Status::ILLEGAL_STATE;

const NOT_OPEN: Error = Error::Batch("no batch with that ticket is open on the stream");

/// A batch that has begun.
pub(super) struct OpenBatch {
    ticket: u64,
    value: u64,
    /// Its number among the queue's batches.
    number: u64,
}

impl OpenBatch {
    pub(super) fn value(&self) -> u64 {
        self.value
    }
}

/// A batch in the queue that waits for earlier work of the host.
pub(super) struct GatedBatch {
    pub(super) value: u64,
    /// Its number among the batches of the queue.
    pub(super) number: u64,
}

impl VulkanStream {
    /// Begins a batch that records the cells, all distinct.
    pub(super) fn begin(&'static self, cells: impl Iterator<Item = &'static Cell> + Clone) -> Result<Batch> {
        let device = self.timeline.device;
        let queue = self.queue();
        device.check_lost()?;
        let mut call = None;
        for cell in cells.clone() {
            probe::release_native_record(cell);
            // Its words may be of two marks: each is looked at alone.
            let mark = VulkanCell::of(cell).load();
            check_recordable(VulkanMark::of(mark))?;
            // Without timestamps no function of the device is called.
            if let Some(place) = programs_place(mark) {
                if call.is_none() {
                    call = Some(device.enter()?);
                }
                place.prepare(device);
            }
        }
        queue.open_batch()?;
        let begun = (|| {
            let mut state = self.state.lock();
            // Under the lock: the end takes back the batches that were begun before.
            device.calls.check()?;
            if state.batch.is_some() {
                return Err(OPEN);
            }
            if state.is_busy() {
                state.gated.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
                queue.reserve_gate()?;
            }
            let value = self.given() + 1;
            let gate = state.is_busy().then(|| self.timeline.at(value - 1));
            let State { told, waits, .. } = &mut *state;
            told.lists.fill(waits, gate, self.timeline.at(value))?;
            told.collected.clear();
            std::mem::swap(&mut told.collected, waits);
            self.give(&state);
            for cell in cells {
                let cell = VulkanCell::of(cell);
                let mut locked = cell.lock();
                let place = programs_place(cell.load());
                // One that was given meanwhile is for a later batch.
                if let Some(place) = place.filter(|_| call.is_some()) {
                    place.expect(device, queue.family, &self.timeline, value);
                }
                let time = place.map_or(0, TimePlace::address);
                cell.replace(&mut locked, device, mark_of(&self.timeline, value, time));
            }
            // Of this stream and this batch alone.
            let ticket = self.serial << VALUE_BITS | value;
            state.batch = Some(OpenBatch { ticket, value, number: queue.count_batch() });
            Ok(state.told.lists.batch(ticket))
        })();
        begun.inspect_err(|_| queue.close_batch())
    }

    /// Ends the batch: its submit was made, or failed for that reason. The queue is unlocked also if the device is lost or its
    /// use has ended; nothing of the device's is called then, nor without `may_submit`.
    pub(super) fn end(&'static self, ticket: u64, failed: Option<Status>, may_submit: bool) -> Result<()> {
        let mut state = self.state.lock();
        let is_it = |batch: &mut OpenBatch| batch.ticket == ticket;
        let Some(batch) = state.batch.take_if(is_it) else {
            // Its owner's end of the context has taken it back.
            return Err(if self.timeline.device.calls.has_ended() { ENDED } else { NOT_OPEN });
        };
        match failed {
            None => {
                if state.backlog.front().is_some_and(|first| first.value < batch.value) {
                    state.gated.push_back(GatedBatch { value: batch.value, number: batch.number });
                    self.queue().add_gate(batch.number);
                } else {
                    self.timeline.set_sure(batch.value);
                }
            }
            Some(status) => {
                if self.take_back(&mut state, &batch, status, may_submit).is_err() {
                    // Out of memory while storing this batch's failure.
                    self.timeline.device.lose(Status::OUT_OF_MEMORY);
                }
            }
        }
        self.queue().close_batch();
        self.go_on(state);
        Ok(())
    }

    /// The value of the batch has failed, and is signaled all the same.
    fn take_back(&'static self, state: &mut State, batch: &OpenBatch, status: Status, may_submit: bool) -> Result<()> {
        let State { told, waits, backlog, .. } = state;
        let reserved = backlog.try_reserve(1).and_then(|()| told.collected.try_reserve(waits.len()));
        reserved.map_err(|_| Error::OutOfMemory)?;
        let error = if status == Status::CONTEXT_IS_DESTROYED { ENDED } else { Error::SubmitFailed(status) };
        self.timeline.spans.fail(batch.value, error)?;
        let is_first = backlog.front().is_none_or(|first| first.value > batch.value);
        if is_first && may_submit && self.signal_in_batch(&told.collected, batch.value) {
            told.collected.clear();
            self.timeline.set_sure(batch.value);
        } else {
            // Waits that were collected meanwhile come after these.
            told.collected.append(waits);
            std::mem::swap(&mut told.collected, waits);
            let at = backlog.partition_point(|item| item.value < batch.value);
            backlog.insert(at, Item { value: batch.value, work: Work::Nothing });
        }
        Ok(())
    }

    /// Makes the queue signal the value of the open batch, whose submit failed, after the waits. Returns false if that fails too, or if
    /// another thread has begun the batch and may be in its submit.
    fn signal_in_batch(&'static self, waits: &[Awaited], value: u64) -> bool {
        let queue = self.queue();
        let Ok(_call) = self.timeline.device.enter() else { return false };
        queue.is_open_here()
            && queue.in_batch().submit(waits, vk::CommandBuffer::null(), self.timeline.at(value)).is_ok()
    }

    /// Takes back the batch that is open, if there is one. Calls the driver only if `may_submit`.
    pub(super) fn give_up(&'static self, may_submit: bool) {
        let ticket = self.state.lock().batch.as_ref().map(|batch| batch.ticket);
        if let Some(ticket) = ticket {
            let has_ended = self.timeline.device.calls.has_ended();
            let status = if has_ended { Status::CONTEXT_IS_DESTROYED } else { CANCELED };
            let _ = self.end(ticket, Some(status), may_submit);
        }
    }
}
