//! Wakes those who wait for a value without blocking in Vulkan: one thread for each device sleeps on all their semaphores at
//! once, and on one of its own by which it is told of more.
//!
//! Some drivers spin in a wait for any of several semaphores (Mesa's software driver is one). Where a wait has used the core
//! for most of its time, the thread looks at the counters instead, after ever longer pauses.

use super::device::Vulkan;
use super::timeline::{SLICE, Timeline, TimelineRef, check_reached};
use crate::error::{Error, Result};
use crate::os::FineTimer;
use crate::process;
use crate::status::Status;
use crate::workers::{self, Parker, Waiter};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// The least and the longest pause between two looks at the counters.
const PAUSE: (Duration, Duration) = (Duration::from_micros(20), Duration::from_micros(500));

struct Entry {
    timeline: TimelineRef,
    value: u64,
    waiter: Waiter,
}

#[derive(Default)]
struct Waiting {
    started: bool,
    ended: bool,
    entries: Vec<Entry>,
    /// The semaphore by which the thread is told of more, made when it starts.
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
    /// There is an entry, or the end.
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
        waiting.entries.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        if waiting.call.is_none() {
            waiting.call = Some(Timeline::create(device)?);
        }
        waiting.started = waiting.started || workers::start_thread("gevt-vulkan", move || device.watcher.watch(device));
        if !waiting.started {
            return Err(Error::OutOfMemory);
        }
        waiting.entries.push(Entry { timeline, value, waiter });
        self.rouse(&mut waiting);
        Ok(())
    }

    /// Tells the thread to look at the entries. Where the signal fails, it does so after a slice.
    fn rouse(&self, waiting: &mut MutexGuard<'_, Waiting>) {
        if let Some(call) = waiting.call.as_ref().filter(|call| !call.is_sure(waiting.asleep)) {
            let _ = call.signal_now(waiting.asleep);
        }
        self.more.notify_one();
    }

    /// Takes a parked thread out. A semaphore of the program's is not used any more once this returns.
    pub(super) fn forget(&self, timeline: &Timeline, value: u64, parker: &Parker) {
        let is_it = |entry: &Entry| {
            std::ptr::eq(&*entry.timeline, timeline)
                && entry.value == value
                && matches!(&entry.waiter, Waiter::Thread(thread) if std::ptr::eq(&**thread, parker))
        };
        let mut waiting = self.waiting.lock();
        waiting.entries.retain(|entry| !is_it(entry));
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
        let entries = std::mem::take(&mut waiting.entries);
        let call = waiting.call.take();
        drop(waiting);
        entries.into_iter().for_each(|entry| workers::wake(entry.waiter, why));
        call
    }

    fn watch(&'static self, device: &'static Vulkan) {
        let _fine = FineTimer::new();
        let mut pause = PAUSE.0;
        let (mut semaphores, mut values) = (Vec::new(), Vec::new());
        loop {
            let mut waiting = self.waiting.lock();
            while waiting.entries.is_empty() && !waiting.ended {
                self.more.wait(&mut waiting);
                pause = PAUSE.0;
            }
            if waiting.ended {
                return;
            }
            if process::is_over() {
                // Nobody is woken any more.
                self.more.wait(&mut waiting);
                continue;
            }
            let woken = take_reached(&mut waiting.entries);
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
            for entry in &waiting.entries {
                semaphores.push(entry.timeline.semaphore);
                values.push(entry.value);
            }
            let Some(call) = &waiting.call else { return };
            let next = call.sure() + 1;
            semaphores.push(call.semaphore);
            values.push(next);
            let Ok(guard) = device.enter() else {
                // Lost: all entries answer that at the next look.
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

/// Takes out those whose value is reached, or will never be, with what they are told.
fn take_reached(entries: &mut Vec<Entry>) -> Vec<(Waiter, Status)> {
    let mut woken = Vec::new();
    let mut at = 0;
    while let Some(entry) = entries.get(at) {
        let answer = match entry.timeline.reached(entry.value) {
            Ok(false) | Err(Error::OutOfMemory | Error::Vulkan(_)) => {
                at += 1;
                continue;
            }
            Ok(true) => check_reached(&entry.timeline, entry.value),
            Err(error) => Err(error),
        };
        let status = answer.map_or_else(|error| error.status(), |()| Status::SUCCESS);
        woken.push((entries.swap_remove(at).waiter, status));
    }
    woken
}
