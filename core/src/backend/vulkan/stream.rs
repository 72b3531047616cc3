//! A stream: a queue with a separate timeline. Each piece of work has a value, in order, and completes when the
//! timeline reaches it.
//!
//! Normally a value is submitted at once, and the queue signals it. Work after one of the program's functions, or after
//! a wait for unsubmitted work, stays here in the *backlog*: submitted early, it would block all streams of the queue,
//! which works in order. Workers process the backlog and signal its values from the host.
//!
//! Streams are reused and freed with their device, and a timeline never goes back, so a value stays meaningful as long as the device is in
//! use.

use super::backlog::{Item, Work};
use super::cell::{VulkanMark, check_recordable, mark_of, replace};
use super::device::{DeviceUse, Vulkan, part};
use super::queue::{LockedQueue, Queue};
use super::stamp::{TimePlace, expect};
use super::submit_lists::SubmitLists;
use super::timeline::{Awaited, Timeline, TimelineRef};
use crate::backend::{Cell, HostFn, Mark, NativeStream};
use crate::error::{Error, Result};
use crate::lock::{Mutex, MutexGuard};
use crate::point::{Gate, Opener};
use crate::process;
use crate::workers::{self, Runnable};
use ash::vk;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::time::Instant;

/// How many free streams are looked at before a new one is made.
const TRIED: usize = 16;

pub(super) struct VulkanStream {
    pub(super) timeline: Timeline,
    /// Tells it from the other streams of all devices.
    pub(super) serial: u64,
    queue: AtomicPtr<Queue>,
    /// The program can export the semaphore.
    exportable: bool,
    /// Waits go into the next submit.
    collects: AtomicBool,
    /// The last assigned value.
    given: AtomicU64,
    pub(super) state: Mutex<State>,
}

/// The stream's unfinished work.
#[derive(Default)]
pub(super) struct State {
    /// Waits that the next submit makes.
    pub(super) waits: Vec<Awaited>,
    pub(super) backlog: VecDeque<Item>,
    /// A worker is processing the backlog, or will. Its task has the device in use.
    pub(super) active: Option<DeviceUse>,
    /// The value of the open batch, 0 without one.
    pub(super) batch: u64,
    /// The values of the batches that wait in the queue for what the backlog has before them.
    pub(super) gated: VecDeque<u64>,
    /// The waits that the open batch makes, and its lists. Their memory is used again for each batch.
    pub(super) batch_waits: Vec<Awaited>,
    pub(super) lists: SubmitLists,
    /// Destroyed: goes back to the free streams when the backlog is done.
    closed: bool,
}

impl VulkanStream {
    /// A stream on the queue, used before or new.
    pub(super) fn open(queue: &'static Queue, collects: bool, exportable: bool) -> Result<&'static VulkanStream> {
        let device: &'static Vulkan = queue.device;
        let mut free = device.free.lock();
        let is_fit = |stream: &&'static VulkanStream| {
            stream.exportable == exportable && stream.timeline.reached(stream.given()) == Ok(true)
        };
        let reused = free.iter().take(TRIED).position(is_fit).map(|at| free.swap_remove(at));
        drop(free);
        let stream = reused.map_or_else(|| VulkanStream::make(device, exportable), Ok)?;
        queue.users.fetch_add(1, Ordering::SeqCst);
        stream.queue.store(std::ptr::from_ref(queue).cast_mut(), Ordering::Release);
        stream.collects.store(collects, Ordering::Release);
        stream.state.lock().closed = false;
        stream.timeline.spans.end(|| stream.given());
        Ok(stream)
    }

    fn make(device: &'static Vulkan, exportable: bool) -> Result<&'static VulkanStream> {
        if !workers::get().reserve() {
            return Err(Error::OutOfMemory);
        }
        static STREAMS: AtomicU64 = AtomicU64::new(0);
        let timeline = Timeline::create(device, exportable).inspect_err(|_| workers::get().unreserve())?;
        let stream = Arc::new(VulkanStream {
            timeline,
            exportable,
            serial: STREAMS.fetch_add(1, Ordering::Relaxed) + 1,
            queue: AtomicPtr::default(),
            collects: AtomicBool::new(false),
            given: AtomicU64::new(0),
            state: Mutex::default(),
        });
        let made = part(&stream);
        device.streams.lock().push(stream);
        Ok(made)
    }

    /// Closes the stream. Its work continues. Calls the driver only if `may_submit`.
    pub(super) fn close(&'static self, may_submit: bool) {
        self.give_up(may_submit);
        let mut state = self.state.lock();
        state.closed = true;
        if state.active.is_none() {
            self.free(&mut state);
        }
    }

    /// The stream has no work left.
    pub(super) fn free(&'static self, state: &mut State) {
        if state.closed {
            state.waits.clear();
            self.queue().users.fetch_sub(1, Ordering::SeqCst);
            self.timeline.device.free.lock().push(self);
        }
    }

    pub(super) fn token(&'static self) -> NativeStream {
        NativeStream(std::ptr::from_ref(self) as u64)
    }

    /// The stream of a token.
    ///
    /// # Safety
    /// [`VulkanStream::token`] has made the token, and the caller has a use of the stream's device for as long as the reference is used.
    pub(super) unsafe fn of(token: NativeStream) -> &'static VulkanStream {
        // SAFETY: by this function's requirement, and as streams live as long as their device.
        unsafe { &*(token.0 as *const VulkanStream) }
    }

    pub(super) fn queue(&self) -> &'static Queue {
        // SAFETY: `open` alone sets the pointer, to a queue that the stream's device owns.
        unsafe { &*self.queue.load(Ordering::Acquire) }
    }

    /// The last assigned value.
    pub(super) fn given(&self) -> u64 {
        self.given.load(Ordering::Acquire)
    }

    /// Gives the next value out, under the lock of `state`.
    pub(super) fn give(&self, _: &MutexGuard<'_, State>) -> u64 {
        let value = self.given.load(Ordering::Relaxed) + 1;
        self.given.store(value, Ordering::Release);
        value
    }

    /// Records an event at the stream's end.
    pub(super) fn record(&'static self, cell: &Cell, timed: bool) -> Result<()> {
        let device = self.timeline.device;
        let _call = device.enter()?;
        let queue = self.queue();
        let locked = queue.lock()?;
        let mut state = self.state.lock();
        let mut cell_locked = cell.lock();
        let old = cell.words();
        check_recordable(old)?;
        if timed && state.is_busy() && queue.is_shared() {
            // The host may have to signal instead of the queue.
            self.queue_mark(&locked, &mut state, None)?;
        }
        let reused = VulkanMark::of(old).and_then(|old| old.own_place(queue.family)).filter(|_| timed);
        let place = if timed && reused.is_none() { device.place_for(queue.family)? } else { reused };
        if let Some(place) = place {
            expect(&[place], device, queue.family, &self.timeline, self.given() + 1);
        }
        let value = match (self.mark_end(&locked, &mut state, place), place) {
            (Ok(value), _) => value,
            (Err(error), None) => return Err(error),
            (Err(error), Some(place)) => {
                // Reset for reuse: its last timestamp is lost.
                place.void();
                if reused.is_none() {
                    device.times.put(place);
                }
                return Err(error);
            }
        };
        let mark = mark_of(&self.timeline, value, place);
        replace(&mut cell_locked, device, mark);
        drop(cell_locked);
        drop(locked);
        self.go_on(state);
        Ok(())
    }

    /// Marks the stream's end, with a timestamp if there is a place for one. Returns the value.
    fn mark_end(
        &self,
        locked: &LockedQueue,
        state: &mut MutexGuard<'_, State>,
        place: Option<&'static TimePlace>,
    ) -> Result<u64> {
        if state.is_busy() {
            return self.queue_mark(locked, state, place);
        }
        self.submit(locked, state, place.map_or(vk::CommandBuffer::null(), |place| place.command))
    }

    /// Submits a command buffer, or nothing, after the collected waits. Returns its value.
    fn submit(
        &self,
        locked: &LockedQueue,
        state: &mut MutexGuard<'_, State>,
        command: vk::CommandBuffer,
    ) -> Result<u64> {
        let value = self.given() + 1;
        locked.submit(&state.waits, command, &self.timeline, value)?;
        state.waits.clear();
        Ok(self.give(state))
    }

    /// Adds a mark to the backlog. Returns its value: without a timestamp that of the work before it, unless that has failed, as a call may
    /// have returned the failure already. What the program has submitted itself comes before the mark.
    fn queue_mark(
        &self,
        locked: &LockedQueue,
        state: &mut MutexGuard<'_, State>,
        place: Option<&'static TimePlace>,
    ) -> Result<u64> {
        let given = self.given();
        let is_last = state.backlog.back().is_some_and(|last| last.value == given);
        match place {
            Some(place) => self.queue_work(state, Work::Stamp(place)),
            None if self.queue().is_shared() => self.queue_work(state, Work::Wait(locked.mark()?)),
            None if is_last && self.timeline.spans.at(given).is_none() => Ok(given),
            None => self.queue_work(state, Work::Nothing),
        }
    }

    /// Adds work to the backlog. Returns its value.
    fn queue_work(&self, state: &mut MutexGuard<'_, State>, work: Work) -> Result<u64> {
        state.backlog.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        state.backlog.push_back(Item { value: self.given() + 1, work });
        Ok(self.give(state))
    }

    /// Lets a worker go through the backlog if there is one and none does.
    pub(super) fn go_on(&'static self, mut state: MutexGuard<'_, State>) {
        if state.next().is_some() && state.active.is_none() && !process::is_over() {
            state.active = Some(self.timeline.device.used());
            drop(state);
            workers::get().schedule(Runnable::Task(self));
        }
    }

    /// Makes later work in the stream wait. With `stages` the wait is collected if it can be, and these wait in the next batch.
    pub(super) fn wait(&'static self, mark: VulkanMark, stages: Option<vk::PipelineStageFlags2>) -> Result<()> {
        let _call = self.timeline.device.enter()?;
        let collects = stages.is_some() || self.collects.load(Ordering::Acquire);
        let stages = stages.unwrap_or(vk::PipelineStageFlags2::ALL_COMMANDS);
        let wait = Awaited { timeline: TimelineRef::new(mark.timeline), value: mark.value, stages };
        let is_own = std::ptr::eq(mark.timeline.device, self.timeline.device);
        let is_sure = || mark.timeline.sure() >= mark.value;
        // The queue does not learn of failures, the host does. Asked last: a value fails before it is sure.
        let sure = is_own && is_sure() && mark.timeline.spans.at(mark.value).is_none();
        let queue = self.queue();
        let submits = queue.can_lock() && !(sure && collects);
        let locked = if submits { Some(queue.lock()?) } else { None };
        let mut state = self.state.lock();
        if state.is_busy() || !sure {
            if let Some(locked) = locked.as_ref().filter(|_| state.has_new_waits()) {
                self.submit(locked, &mut state, vk::CommandBuffer::null())?;
            }
            state.waits.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
            self.queue_work(&mut state, Work::Wait(wait.clone()))?;
            if is_own {
                // The host's wait does not make memory visible on the device, so the next submit also waits.
                state.collect(wait)?;
            }
        } else if let Some(locked) = &locked {
            let before = state.waits.clone();
            state.collect(wait)?;
            let submitted = self.submit(locked, &mut state, vk::CommandBuffer::null());
            submitted.inspect_err(|_| state.waits = before)?;
        } else {
            return state.collect(wait);
        }
        drop(locked);
        self.go_on(state);
        Ok(())
    }

    /// Queues a function after all of the stream's work.
    pub(super) fn launch(&'static self, function: HostFn) -> Result<()> {
        self.queue_on_host(Work::Call(function))
    }

    /// Makes later work in the stream wait for the opener.
    pub(super) fn gate(&'static self) -> Result<Opener> {
        let (gate, opener) = Gate::with_opener();
        self.queue_on_host(Work::WaitGate(gate)).map(|()| opener)
    }

    /// Adds work of the host to the backlog, after all of the stream's work.
    fn queue_on_host(&'static self, work: Work) -> Result<()> {
        if !workers::get().is_staffed() {
            return Err(Error::OutOfMemory);
        }
        let _call = self.timeline.device.enter()?;
        let mut state = self.flush()?;
        if matches!(work, Work::Call(_)) && !state.waits.is_empty() && !self.queue().can_lock() {
            return Err(Error::Unsupported(
                "a host function behind collected waits, on a queue without lock functions",
            ));
        }
        self.queue_work(&mut state, work)?;
        self.go_on(state);
        Ok(())
    }

    /// Submits the collected waits, so later work on the host runs after them. On a queue without lock functions they
    /// stay for the next batch.
    pub(super) fn flush(&'static self) -> Result<MutexGuard<'static, State>> {
        let _call = self.timeline.device.enter()?;
        let queue = self.queue();
        let state = self.state.lock();
        if !state.has_new_waits() || !queue.can_lock() {
            return Ok(state);
        }
        drop(state);
        let locked = queue.lock()?;
        let mut state = self.state.lock();
        if state.has_new_waits() {
            self.submit(&locked, &mut state, vk::CommandBuffer::null())?;
        }
        Ok(state)
    }

    /// Gives out a value that comes after all work that the program has submitted itself, if the queue is shared with it.
    pub(super) fn mark_shared_end(&'static self) -> Result<()> {
        let queue = self.queue();
        if queue.is_shared() {
            let _call = self.timeline.device.enter()?;
            let locked = queue.lock()?;
            let mut state = self.state.lock();
            self.mark_end(&locked, &mut state, None)?;
            drop(locked);
            self.go_on(state);
        }
        Ok(())
    }

    /// Blocks until the stream has reached the values that it waits for and that no submit waits for yet, or until the deadline.
    pub(super) fn block_for_waits(&self, deadline: Option<Instant>) -> Result<bool> {
        let waits = self.state.lock().waits.clone();
        for wait in waits {
            if !wait.timeline.block(wait.value, deadline)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether the stream has finished all submitted work; nothing is submitted, as that would be pending for a moment.
    pub(super) fn is_done(&self) -> Result<bool> {
        if !self.timeline.reached(self.given())? {
            return Ok(false);
        }
        let waits = self.state.lock().waits.clone();
        for wait in waits {
            if !wait.timeline.reached(wait.value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Drop for VulkanStream {
    fn drop(&mut self) {
        workers::get().unreserve();
    }
}

impl State {
    /// Drops the collected waits, which have their devices in use. Nothing is submitted any more.
    pub(super) fn forget_waits(&mut self) {
        self.waits.clear();
        self.batch_waits.clear();
    }

    /// The next piece of the backlog, unless that comes after the open batch, whose end may put another one before it.
    pub(super) fn next(&self) -> Option<&Item> {
        self.backlog.front().filter(|next| self.batch == 0 || next.value < self.batch)
    }

    /// Returns whether new work must be queued after the backlog.
    pub(super) fn is_busy(&self) -> bool {
        !self.backlog.is_empty()
    }

    /// Returns whether waits were collected that the backlog does not make, and that may still be pending.
    fn has_new_waits(&self) -> bool {
        !self.is_busy() && self.waits.iter().any(|wait| !wait.timeline.is_known(wait.value))
    }

    fn collect(&mut self, wait: Awaited) -> Result<()> {
        let semaphore = wait.timeline.semaphore;
        if let Some(known) = self.waits.iter_mut().find(|known| known.timeline.semaphore == semaphore) {
            known.value = known.value.max(wait.value);
            known.stages |= wait.stages;
            return Ok(());
        }
        self.waits.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        self.waits.push(wait);
        Ok(())
    }
}

/// Empties the cell, whose event is destroyed.
pub(super) fn release(device: &'static Vulkan, cell: &Cell) {
    let mut locked = cell.lock();
    let old = VulkanMark::of(cell.words());
    replace(&mut locked, device, Mark::default());
    drop(locked);
    if let Some(old) = old {
        // SAFETY: the cell was the event's, and has the mark no more.
        unsafe { old.timeline.release() };
    }
}
