//! Work that a stream cannot submit yet. A worker processes it in order: each item begins when the timeline has reached
//! the value before its own, and ends with its own.

use super::batch::GatedBatch;
use super::queue::{Lock, Queue};
use super::stamp::TimePlace;
use super::stream::{State, VulkanStream};
use super::timeline::{Awaited, Timeline, TimelineRef};
use crate::backend::HostFn;
use crate::backend::deadlock::Dependency;
use crate::error::{Error, Result};
use crate::lock::MutexGuard;
use crate::point::Gate;
use crate::probe::{self, Obstacle, What};
use crate::process;
use crate::status::Status;
use crate::workers::{self, Runnable, Task, Waiter};
use std::sync::Arc;
use std::time::Duration;

/// How often the host tries what fails for want of memory, and the pause in between.
const TRIES: u32 = 1000;
const PAUSE: Duration = Duration::from_millis(1);

/// A piece of a backlog.
#[derive(Clone)]
pub(super) struct Item {
    pub(super) value: u64,
    pub(super) work: Work,
}

/// The work between two values.
#[derive(Clone)]
pub(super) enum Work {
    /// Nothing: a waiter needs the value.
    Nothing,
    /// The queue writes a timestamp, issued while that was the last batch of the queue.
    Stamp(&'static TimePlace, u64),
    /// Runs the program's function.
    Call(HostFn),
    /// Waits for another timeline to reach a value.
    Wait(Awaited),
    /// The host opens a gate.
    WaitGate(Arc<Gate>),
}

impl Item {
    /// Returns whether it only signals that value.
    fn is_signal_of(&self, value: u64) -> bool {
        self.value == value && matches!(self.work, Work::Nothing)
    }
}

/// The outcome of an item.
enum Step {
    Done,
    /// The stream is woken when it can continue.
    Parked,
}

impl Timeline {
    /// The value as something to wait for.
    pub(super) fn dependency(&self, value: u64) -> Dependency {
        Dependency::new(std::ptr::from_ref(self) as u64, value)
    }
}

impl Task for VulkanStream {
    fn run(&'static self) {
        self.work_on(false);
    }

    fn run_briefly(&'static self) {
        self.work_on(true);
    }
}

impl VulkanStream {
    /// Does the work of the backlog. A brief turn ends before work that takes the queue's lock, which may be the program's, or that calls a
    /// function.
    fn work_on(&'static self, is_brief: bool) {
        let pool = workers::get();
        let again = || Runnable::Task(self);
        // The value before the first item's was left to the signal of that item.
        let mut is_left = false;
        loop {
            let state = self.state.lock();
            // The item stays at the front until it completes, so new items are queued after it.
            let Some(Item { value, work }) = state.backlog.front().cloned() else {
                return self.end_task(state);
            };
            let is_host_work = !matches!(work, Work::Stamp(..));
            let leaves = is_host_work && state.backlog.get(1).is_some_and(|next| next.is_signal_of(value + 1));
            drop(state);
            if is_brief && matches!(work, Work::Stamp(..) | Work::Call(_)) {
                return pool.schedule(again());
            }
            match self.step(value, work, is_left, leaves) {
                Ok(Step::Done) => self.pop(),
                Ok(Step::Parked) => return,
                Err(_) if is_brief => return pool.schedule(again()),
                Err(_) => return self.abandon(),
            }
            is_left = leaves;
            if !is_left && !is_brief && (workers::should_return() || pool.has_others()) {
                return pool.give_way(again());
            }
        }
    }

    /// The first piece is done.
    fn pop(&self) {
        let mut state = self.state.lock();
        drop(state.backlog.pop_front());
        let next = state.backlog.front().map_or(u64::MAX, |next| next.value);
        while let Some(&GatedBatch { value, number }) = state.gated.front().filter(|gate| gate.value < next) {
            self.timeline.set_sure(value);
            self.queue().remove_gate(number);
            state.gated.pop_front();
        }
    }

    /// The device no longer answers: the rest is dropped.
    fn abandon(&'static self) {
        let mut state = self.state.lock();
        state.backlog.clear();
        self.end_task(state);
    }

    /// No worker processes the backlog any more. The device may be freed by this, if the task's use was the last one.
    fn end_task(&'static self, mut state: MutexGuard<'_, State>) {
        let used = state.active.take();
        self.free(&mut state);
        drop(state);
        drop(used);
    }

    /// Does a piece of work after the value before its own, whose signal may be left to it, and signals its own value, unless it leaves that
    /// to the next one.
    fn step(&'static self, value: u64, work: Work, is_left: bool, leaves: bool) -> Result<Step> {
        let device = self.timeline.device;
        if !is_left && self.park(&TimelineRef::new(&self.timeline), value - 1)? {
            return Ok(Step::Parked);
        }
        match work {
            Work::Nothing => {}
            Work::Stamp(place, last) => {
                if self.stamp(place, last, value) {
                    return Ok(Step::Done);
                }
                place.void();
            }
            Work::Call(function) => {
                device.check_lost()?;
                if !self.call(function, value) {
                    // The process exits: the stream stays where it is.
                    return Ok(Step::Parked);
                }
            }
            Work::Wait(Awaited { timeline, value: awaited, .. }) => {
                // A failed submit is signaled as well, and its waiters continue.
                if self.park(&timeline, awaited)? {
                    probe::put(|| What::StreamWaits(device.traced_stream(self), Obstacle::AnyStream));
                    return Ok(Step::Parked);
                }
                probe::put(|| What::StreamGoesOn(device.traced_stream(self)));
                if let Some(error) = timeline.spans.at(awaited) {
                    self.timeline.spans.begin(value - 1, Error::EventFailed(error.status()));
                }
            }
            Work::WaitGate(gate) => {
                if gate.opened().is_none() {
                    probe::put(|| What::StreamWaits(device.traced_stream(self), gate.obstacle()));
                    if gate.notify(Waiter::Task(self)).is_none() {
                        return Ok(Step::Parked);
                    }
                }
                probe::put(|| What::StreamGoesOn(device.traced_stream(self)));
                if let Some(status) = gate.opened().filter(|status| *status != Status::SUCCESS) {
                    self.timeline.spans.begin(value - 1, Error::EventFailed(status));
                }
            }
        }
        if !leaves {
            self.retry(|| self.timeline.signal(value))?;
            device.wake_waiters(&self.timeline);
        }
        Ok(Step::Done)
    }

    /// Registers to be woken when the timeline reaches the value; false if it already has, or if another device is lost.
    fn park(&'static self, timeline: &TimelineRef, value: u64) -> Result<bool> {
        let device = timeline.device;
        let is_other = !std::ptr::eq(device, self.timeline.device);
        self.retry(|| {
            let parked = timeline.reached(value).and_then(|is_reached| {
                if is_reached {
                    return Ok(false);
                }
                device.notify(timeline.clone(), value, Waiter::Task(self)).map(|()| true)
            });
            if is_other && parked.as_ref().is_err_and(|error| !is_shortage(error)) { Ok(false) } else { parked }
        })
    }

    fn call(&'static self, function: HostFn, value: u64) -> bool {
        self.timeline.dependency(value).call(|| {
            let _traced = probe::function(|| self.timeline.device.traced_stream(self));
            function.call_in_native_order();
        })
    }

    /// Lets the queue write the timestamp and signal the value; false if it cannot, as a batch in it may wait for this.
    fn stamp(&'static self, place: &'static TimePlace, last: u64, value: u64) -> bool {
        let queue: &'static Queue = self.queue();
        if matches!(queue.lock, Lock::Callers(_)) {
            // The program may have the lock for long.
            workers::get().hand_over();
        }
        let Ok(_call) = self.timeline.device.enter() else { return false };
        let Ok(locked) = queue.lock() else { return false };
        let done = !queue.has_gate_after(last) && locked.submit(&[], place.command, self.timeline.at(value)).is_ok();
        if done {
            self.timeline.set_sure(value);
        }
        done
    }

    /// Repeats what fails for want of memory. After a second the device counts as lost.
    fn retry<T>(&self, mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
        for _ in 0..TRIES {
            match attempt() {
                Err(error) if is_shortage(&error) => {}
                done => return done,
            }
            // Other workers may take over the worker's next task.
            workers::get().hand_over();
            std::thread::sleep(PAUSE);
            process::check()?;
        }
        Err(self.timeline.device.lose(Status::OUT_OF_MEMORY))
    }
}

fn is_shortage(error: &Error) -> bool {
    matches!(error, Error::OutOfMemory | Error::Vulkan(_))
}
