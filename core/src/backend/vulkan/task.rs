//! A stream's task: a worker processes the backlog in order. Each item begins when the timeline has reached the value before its own, and ends
//! with its own.

use super::backlog::{Item, Work};
use super::queue::Queue;
use super::stamp::TimePlace;
use super::stream::{State, VulkanStream};
use super::timeline::{Awaited, Timeline};
use crate::error::{Error, Result};
use crate::lock::MutexGuard;
use crate::probe::{self, Obstacle, What};
use crate::process;
use crate::status::Status;
use crate::workers::{self, Runnable, Task, Turn, Waiter};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often the host tries what fails for want of memory, and the pause in between.
const TRIES: u32 = 1000;
const PAUSE: Duration = Duration::from_millis(1);

impl Task for VulkanStream {
    /// Does the work of the backlog. A brief turn ends before work that takes the queue's lock, which may be the program's, or that calls a
    /// function.
    fn run(&'static self, turn: Turn) {
        let is_brief = turn == Turn::Brief;
        let pool = workers::get();
        let again = || Runnable::Task(self);
        loop {
            let state = self.state.lock();
            // The item stays at the front until it completes, so new items are queued after it.
            let Some(Item { value, work }) = state.next().cloned() else {
                return self.end_task(state);
            };
            drop(state);
            if is_brief && matches!(work, Work::Stamp(..) | Work::Call(_)) {
                return pool.schedule(again());
            }
            match self.step(value, work) {
                Ok(true) => self.pop(),
                Ok(false) => return,
                Err(_) if is_brief => return pool.schedule(again()),
                Err(_) => {
                    // The device no longer answers: the rest is dropped.
                    let mut state = self.state.lock();
                    state.backlog.clear();
                    return self.end_task(state);
                }
            }
            if !is_brief && (workers::should_return() || pool.has_others()) {
                return pool.give_way(again());
            }
        }
    }
}

impl VulkanStream {
    /// The work before the first gated batch, which has that value, has completed.
    pub(super) fn pass_gate(&self, state: &mut State, value: u64) {
        self.timeline.set_sure(value);
        self.queue().gates.fetch_sub(1, Ordering::Relaxed);
        state.gated.pop_front();
    }

    /// The first piece is done.
    fn pop(&self) {
        let mut state = self.state.lock();
        drop(state.backlog.pop_front());
        let next = state.backlog.front().map_or(u64::MAX, |next| next.value);
        while let Some(&gated) = state.gated.front().filter(|gated| **gated < next) {
            self.pass_gate(&mut state, gated);
        }
    }

    /// No worker processes the backlog any more. The device may be freed by this, if the task's use was the last one.
    fn end_task(&'static self, mut state: MutexGuard<'_, State>) {
        let used = state.active.take();
        self.free(&mut state);
        drop(state);
        drop(used);
    }

    /// Does a piece of work after the value before its own, and signals its own value. Returns false if the stream has to wait, and is woken
    /// then.
    fn step(&'static self, value: u64, work: Work) -> Result<bool> {
        let device = &self.timeline.device;
        if self.park(&self.timeline, value - 1)? {
            return Ok(false);
        }
        match work {
            Work::Nothing => {}
            Work::Stamp(place) if self.stamp(place, value) => return Ok(true),
            Work::Stamp(place) => place.void(),
            Work::Call(function) => {
                device.check_lost()?;
                let has_returned = self.timeline.dependency(value).call(|| {
                    let _traced = probe::function(|| self.traced());
                    function.call_in_native_order();
                });
                if !has_returned {
                    // The process exits: the stream stays where it is.
                    return Ok(false);
                }
            }
            Work::Wait(Awaited { timeline, value: awaited, .. }) => {
                let failure = match self.park(&timeline, awaited) {
                    Ok(true) => {
                        probe::put(|| What::StreamWaits(self.traced(), Obstacle::AnyStream));
                        return Ok(false);
                    }
                    // A failed submit is signaled as well, and its waiters continue.
                    Ok(false) => timeline.spans.at(awaited),
                    Err(error) if Arc::ptr_eq(&timeline.device, device) => return Err(error),
                    // Another device is lost, or its use has ended.
                    Err(error) => Some(error),
                };
                self.end_wait(value, failure.map(|error| error.status()));
            }
            Work::WaitGate(gate) => {
                if gate.opened().is_none() {
                    probe::put(|| What::StreamWaits(self.traced(), Obstacle::Backend));
                    if gate.notify(Waiter::Task(self)).is_none() {
                        return Ok(false);
                    }
                }
                self.end_wait(value, gate.opened().filter(|status| *status != Status::SUCCESS));
            }
        }
        self.retry(|| self.timeline.signal(value))?;
        Ok(true)
    }

    /// A wait is over, which has that value. If it has failed, so does what comes after it.
    fn end_wait(&'static self, value: u64, failed: Option<Status>) {
        probe::put(|| What::StreamGoesOn(self.traced()));
        if let Some(status) = failed {
            self.timeline.spans.begin(value - 1, Error::EventFailed(status));
        }
    }

    /// Registers to be woken when the timeline reaches the value; false if it already has.
    fn park(&'static self, timeline: &Arc<Timeline>, value: u64) -> Result<bool> {
        self.retry(|| {
            if timeline.reached(value)? {
                return Ok(false);
            }
            timeline.notify(value, Waiter::Task(self)).map(|()| true)
        })
    }

    /// Lets the queue write the timestamp and signal the value; false if it cannot, or if a batch in it may wait for this.
    fn stamp(&'static self, place: &'static TimePlace, value: u64) -> bool {
        let queue: &'static Queue = self.queue();
        if queue.is_shared() {
            // The program may have the lock for long.
            workers::get().hand_over();
        }
        let Ok(_call) = self.timeline.device.enter() else { return false };
        let Ok(locked) = queue.lock() else { return false };
        // Batches count themselves under the queue's lock.
        let has_gates = queue.gates.load(Ordering::Relaxed) > 0;
        !has_gates && locked.submit(&[], place.command, &self.timeline, value).is_ok()
    }

    /// Repeats what fails for want of memory. After a second the device counts as lost.
    fn retry<T>(&self, mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
        for _ in 0..TRIES {
            match attempt() {
                Err(error) if error.is_shortage() => {}
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
