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
use super::native::NativeDevice;
use super::queue::{LockedQueue, Queue};
use super::stamp::{TimePlace, expect};
use super::submit_lists::SubmitLists;
use super::timeline::{Awaited, Timeline};
use super::times::Times;
use crate::backend::{Cell, NativeStream};
use crate::error::{Error, Result};
use crate::lock::{Mutex, MutexGuard};
use crate::point::{Gate, Opener};
use crate::probe::StreamId;
use crate::process;
use crate::workers::{self, Runnable};
use ash::vk;
use std::any::Any;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

pub(super) struct VulkanStream {
    pub(super) timeline: Arc<Timeline>,
    pub(super) times: Arc<Times>,
    /// The device that owns the stream, its queue and its places for timestamps.
    owner: Weak<dyn Any + Send + Sync>,
    /// Tells it from the other streams of all devices.
    pub(super) serial: u64,
    queue: AtomicPtr<Queue>,
    /// The program can export the semaphore.
    exportable: bool,
    /// Waits go into the next submit.
    collects: AtomicBool,
    /// Without an owner and without work: the device may use it again.
    is_free: AtomicBool,
    /// The device's default stream.
    pub(super) is_default: AtomicBool,
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
    pub(super) active: Option<Arc<dyn Any + Send + Sync>>,
    /// The value of the open batch, 0 without one.
    pub(super) batch: u64,
    /// The values of the batches that wait in the queue for what the backlog has before them.
    pub(super) gated: VecDeque<u64>,
    /// The waits that the open batch makes, and its lists. Their memory is used again for each batch.
    pub(super) batch_waits: Vec<Awaited>,
    pub(super) lists: SubmitLists,
    /// Destroyed: free when the backlog is done.
    closed: bool,
}

impl VulkanStream {
    /// A new stream of the owner's, which is put to use by [`VulkanStream::begin_use`].
    pub(super) fn make(
        device: Arc<NativeDevice>,
        times: Arc<Times>,
        owner: Weak<dyn Any + Send + Sync>,
        exportable: bool,
    ) -> Result<VulkanStream> {
        if !workers::get().reserve() {
            return Err(Error::OutOfMemory);
        }
        static STREAMS: AtomicU64 = AtomicU64::new(0);
        let timeline = Timeline::create(device, exportable).inspect_err(|_| workers::get().unreserve())?;
        Ok(VulkanStream {
            timeline,
            times,
            owner,
            exportable,
            serial: STREAMS.fetch_add(1, Ordering::Relaxed) + 1,
            queue: AtomicPtr::default(),
            collects: AtomicBool::new(false),
            is_free: AtomicBool::new(false),
            is_default: AtomicBool::new(false),
            given: AtomicU64::new(0),
            state: Mutex::default(),
        })
    }

    /// Puts the stream to use on the queue.
    pub(super) fn begin_use(&self, queue: &'static Queue, collects: bool) {
        queue.users.fetch_add(1, Ordering::SeqCst);
        self.queue.store(std::ptr::from_ref(queue).cast_mut(), Ordering::Release);
        self.collects.store(collects, Ordering::Release);
        self.state.lock().closed = false;
        self.timeline.spans.end(|| self.given());
    }

    pub(super) fn is_free(&self) -> bool {
        self.is_free.load(Ordering::Acquire)
    }

    /// Takes a stream that is free, if it is of that kind and has reached its end. No other thread takes one meanwhile.
    pub(super) fn take(&self, exportable: bool) -> bool {
        let is_fit = self.exportable == exportable && self.timeline.reached(self.given()) == Ok(true);
        if is_fit {
            self.is_free.store(false, Ordering::Relaxed);
        }
        is_fit
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
            self.is_free.store(true, Ordering::Release);
        }
    }

    /// The stream's name in traces.
    pub(super) fn traced(&'static self) -> StreamId {
        let is_default = self.is_default.load(Ordering::Relaxed);
        StreamId { place: self.timeline.device.place(), native: self.token().0, is_default }
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
        let device = &*self.timeline.device;
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
        let place = if timed && reused.is_none() { self.times.place_for(queue.family)? } else { reused };
        if let Some(place) = place {
            expect(&[place], device, queue.family, &self.timeline, self.given() + 1);
        }
        let value = self.mark_end(&locked, &mut state, place).inspect_err(|_| {
            // Reset for reuse: its last timestamp is lost.
            place.iter().for_each(|place| place.void());
            place.filter(|_| reused.is_none()).into_iter().for_each(|place| self.times.put(place));
        })?;
        let mark = mark_of(&self.timeline, value, place);
        replace(&mut cell_locked, &self.times, mark);
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
            state.active = self.owner.upgrade();
            drop(state);
            workers::get().schedule(Runnable::Task(self));
        }
    }

    /// Makes later work in the stream wait. With `stages` the wait is collected if it can be, and these wait in the next batch.
    pub(super) fn wait(&'static self, mark: VulkanMark, stages: Option<vk::PipelineStageFlags2>) -> Result<()> {
        let _call = self.timeline.device.enter()?;
        let collects = stages.is_some() || self.collects.load(Ordering::Acquire);
        let stages = stages.unwrap_or(vk::PipelineStageFlags2::ALL_COMMANDS);
        let wait = Awaited { timeline: mark.timeline.keep(), value: mark.value, stages };
        let is_own = Arc::ptr_eq(&mark.timeline.device, &self.timeline.device);
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

    /// Makes later work in the stream wait for the opener.
    pub(super) fn gate(&'static self) -> Result<Opener> {
        let (gate, opener) = Gate::with_opener();
        self.queue_on_host(Work::WaitGate(gate)).map(|()| opener)
    }

    /// Adds work of the host to the backlog, after all of the stream's work.
    pub(super) fn queue_on_host(&'static self, work: Work) -> Result<()> {
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

    /// Returns whether the stream has finished all submitted work; nothing is submitted, as that would be pending for a moment.
    pub(super) fn is_done(&self) -> Result<bool> {
        Ok(self.timeline.reached(self.given())? && self.all_waits(|wait| wait.timeline.reached(wait.value))?)
    }

    /// Returns whether all the waits are over that no submit makes yet.
    pub(super) fn all_waits(&self, is_over: impl Fn(&Awaited) -> Result<bool>) -> Result<bool> {
        let waits = self.state.lock().waits.clone();
        waits.iter().try_fold(true, |all, wait| Ok(all && is_over(wait)?))
    }
}

impl Drop for VulkanStream {
    fn drop(&mut self) {
        workers::get().unreserve();
    }
}

impl State {
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
