//! Wakes waiters that do not block in Vulkan. One thread per device sleeps until the nearest awaited value is reached.
//! A separate semaphore interrupts it when a nearer one is added.
//!
//! Some drivers spin in a wait for any of several semaphores (Mesa's software driver is one). If a wait has used the core for most of
//! its time, the thread reads the counters instead, after ever longer pauses.

use super::device::Vulkan;
use super::timeline::{SLICE, Timeline, TimelineRef, check_reached};
use crate::backend::waiter_list::WaiterList;
use crate::error::{Error, Result};
use crate::os::FineTimer;
use crate::process;
use crate::status::Status;
use crate::workers::{self, Parker, Waiter};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Duration;

/// The least and the longest pause between two looks at the counters.
const PAUSE: (Duration, Duration) = (Duration::from_micros(20), Duration::from_micros(500));

/// The waiters for one timeline: one at least.
struct Line {
    timeline: TimelineRef,
    waiters: WaiterList,
}

#[derive(Default)]
struct Waiting {
    started: bool,
    ended: bool,
    /// By the address of the timeline.
    lines: BTreeMap<usize, Line>,
    /// The semaphore that interrupts the thread's sleep, made when the thread starts.
    call: Option<Timeline>,
    /// The value of it that the thread sleeps on; 0 while it does not.
    asleep: u64,
    /// Counts the thread's sleeps.
    rounds: u64,
}

/// Who waits for values of a device's timelines.
#[derive(Default)]
pub(super) struct Watcher {
    waiting: Mutex<Waiting>,
    /// There is a waiter, or the end.
    more: Condvar,
    /// A sleep is over.
    awake: Condvar,
}

impl Watcher {
    /// Adds a waiter.
    pub(super) fn add(&self, device: &'static Vulkan, timeline: TimelineRef, value: u64, waiter: Waiter) -> Result<()> {
        let mut waiting = self.waiting.lock();
        if waiting.ended {
            return device.check_lost().and(Err(Error::ContextLost(Status::CONTEXT_IS_DESTROYED)));
        }
        if waiting.call.is_none() {
            waiting.call = Some(Timeline::create(device)?);
        }
        waiting.started = waiting.started || workers::start_thread("gevt-vulkan", move || device.watcher.watch(device));
        if !waiting.started {
            return Err(Error::OutOfMemory);
        }
        let line = waiting.lines.entry(address(&timeline)).or_insert_with(|| Line::new(timeline));
        let nearest = line.waiters.nearest();
        line.waiters.add(value, waiter);
        if nearest.is_none_or(|nearest| value < nearest) {
            self.rouse(&mut waiting);
        }
        Ok(())
    }

    /// Wakes the thread, which has not slept on the nearest value of each timeline. If the signal fails, it wakes after a slice.
    fn rouse(&self, waiting: &mut MutexGuard<'_, Waiting>) {
        if let Some(call) = waiting.call.as_ref().filter(|call| !call.is_sure(waiting.asleep)) {
            let _ = call.signal_now(waiting.asleep);
        }
        self.more.notify_one();
    }

    /// Removes a parked thread. The program's semaphore is no longer used once this returns.
    pub(super) fn forget(&self, timeline: &Timeline, value: u64, parker: &Parker) {
        let mut waiting = self.waiting.lock();
        if let Entry::Occupied(mut line) = waiting.lines.entry(address(timeline)) {
            line.get_mut().waiters.forget(value, parker);
            if line.get().waiters.nearest().is_none() {
                line.remove();
            }
        }
        let round = waiting.rounds;
        while timeline.is_programs() && waiting.rounds == round && waiting.asleep != 0 {
            self.rouse(&mut waiting);
            self.awake.wait(&mut waiting);
        }
    }

    /// Ends the thread: no semaphore is waited for once the calls of the device are over.
    pub(super) fn end(&self) {
        let mut waiting = self.waiting.lock();
        waiting.ended = true;
        self.rouse(&mut waiting);
    }

    /// Takes the thread's own semaphore and all waiters away, whose time will not come.
    pub(super) fn take_all(&self, why: Status) -> Option<Timeline> {
        let mut waiting = self.waiting.lock();
        let lines = std::mem::take(&mut waiting.lines);
        let call = waiting.call.take();
        drop(waiting);
        lines.into_values().flat_map(|mut line| line.waiters.take_all()).for_each(|waiter| workers::wake(waiter, why));
        call
    }

    fn watch(&'static self, device: &'static Vulkan) {
        let _fine = FineTimer::new();
        let mut pause = PAUSE.0;
        let (mut semaphores, mut values) = (Vec::new(), Vec::new());
        loop {
            let mut waiting = self.waiting.lock();
            while waiting.lines.is_empty() && !waiting.ended {
                self.more.wait(&mut waiting);
                pause = PAUSE.0;
            }
            if waiting.ended {
                return;
            }
            if process::is_over() {
                // No waiter is woken any more.
                self.more.wait(&mut waiting);
                continue;
            }
            let woken = take_reached(&mut waiting.lines);
            if !woken.is_empty() {
                drop(waiting);
                woken.into_iter().for_each(|(waiter, status)| workers::wake(waiter, status));
                pause = PAUSE.0;
                continue;
            }
            if device.spins() {
                self.more.wait_for(&mut waiting, pause);
                pause = (pause * 2).min(PAUSE.1);
                continue;
            }
            semaphores.clear();
            values.clear();
            for line in waiting.lines.values() {
                semaphores.push(line.timeline.semaphore);
                values.extend(line.waiters.nearest());
            }
            let Some(call) = &waiting.call else { return };
            let next = call.sure() + 1;
            semaphores.push(call.semaphore);
            values.push(next);
            let Ok(guard) = device.enter() else {
                // Lost: the waiters learn that from the next read of the counters.
                self.more.wait_for(&mut waiting, pause);
                continue;
            };
            waiting.asleep = next;
            drop(waiting);
            let slept = device.sleep_until(&semaphores, &values, true, SLICE);
            drop(guard);
            let mut waiting = self.waiting.lock();
            waiting.asleep = 0;
            waiting.rounds += 1;
            self.awake.notify_all();
            drop(waiting);
            if slept.is_err() {
                // Out of memory, perhaps.
                std::thread::sleep(PAUSE.1);
            }
        }
    }
}

impl Line {
    fn new(timeline: TimelineRef) -> Line {
        Line { timeline, waiters: WaiterList::default() }
    }

    /// Removes the first waiter if its value is reached or never will be, and returns it with what it is woken with.
    fn take_reached(&mut self) -> Option<(Waiter, Status)> {
        let value = self.waiters.nearest()?;
        let answer = match self.timeline.reached(value) {
            Ok(false) | Err(Error::OutOfMemory | Error::Vulkan(_)) => return None,
            Ok(true) => check_reached(&self.timeline, value),
            Err(error) => Err(error),
        };
        let (_, waiter) = self.waiters.take_due(value)?;
        Some((waiter, answer.map_or_else(|error| error.status(), |()| Status::SUCCESS)))
    }
}

fn address(timeline: &Timeline) -> usize {
    std::ptr::from_ref(timeline).addr()
}

/// Removes the waiters whose value is reached or never will be, and returns them with what they are woken with.
fn take_reached(lines: &mut BTreeMap<usize, Line>) -> Vec<(Waiter, Status)> {
    let mut woken = Vec::new();
    lines.retain(|_, line| {
        woken.extend(std::iter::from_fn(|| line.take_reached()));
        line.waiters.nearest().is_some()
    });
    woken
}
