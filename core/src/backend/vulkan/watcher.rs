//! Wakes waiters that do not block in Vulkan. One thread per device sleeps until the nearest awaited value of a timeline is reached.
//! A separate semaphore interrupts it when a nearer one is added.
//!
//! Some drivers spin in a wait for any of several semaphores (Mesa's software driver is one). If a wait has used the core for most of
//! its time, the thread reads the counters instead, after ever longer pauses.

use super::device::Vulkan;
use super::timeline::{SLICE, Timeline, TimelineRef, check_reached};
use crate::error::{Error, Result};
use crate::point::{Key, Source};
use crate::status::Status;
use crate::sync::{Condvar, Mutex, Signal};
use crate::workers::{Parker, Waiter};
use ash::vk;
use std::time::Duration;

/// The least and the longest pause between two looks at the counters.
const PAUSE: (Duration, Duration) = (Duration::from_micros(20), Duration::from_micros(500));

/// A device's timelines, as its thread waits for them.
#[derive(Default)]
pub(super) struct Timelines {
    sleep: Mutex<Sleep>,
    /// A sleep is over.
    awake: Condvar,
}

#[derive(Default)]
struct Sleep {
    /// The semaphore that interrupts the thread's sleep.
    call: Option<Timeline>,
    /// The value of it that the thread sleeps on; 0 while it does not.
    value: u64,
    /// Counts the thread's sleeps.
    count: u64,
}

/// The values that the thread waits for.
pub(super) struct Round {
    device: Option<&'static Vulkan>,
    semaphores: Vec<vk::Semaphore>,
    values: Vec<u64>,
    pause: Duration,
}

impl Default for Round {
    fn default() -> Round {
        Round { device: None, semaphores: Vec::new(), values: Vec::new(), pause: PAUSE.0 }
    }
}

impl Sleep {
    /// If the signal fails, the thread wakes after a slice.
    fn interrupt(&self) {
        if let Some(call) = self.call.as_ref().filter(|call| !call.is_sure(self.value)) {
            let _ = call.signal_now(self.value);
        }
    }
}

impl Timelines {
    /// Takes the thread's own semaphore away, once no call of the device is in progress.
    pub(super) fn take_call(&self) -> Option<Timeline> {
        self.sleep.lock().call.take()
    }
}

impl Source for Timelines {
    const NAME: &'static str = "gevt-vulkan";
    type Timeline = TimelineRef;
    type Round = Round;

    fn begin(&self, round: &mut Round, news: bool) {
        round.semaphores.clear();
        round.values.clear();
        if news {
            round.pause = PAUSE.0;
        }
    }

    fn look(&self, timeline: &mut TimelineRef, value: u64, round: &mut Round) -> Result<Option<Status>> {
        let reached = timeline.reached(value);
        if matches!(reached, Ok(false) | Err(Error::OutOfMemory | Error::Vulkan(_))) {
            round.device = Some(timeline.device);
            round.semaphores.push(timeline.semaphore);
            round.values.push(value);
            return reached.map(|_| None);
        }
        let ended = reached.and_then(|_| check_reached(timeline, value));
        Ok(Some(ended.map_or_else(|error| error.status(), |()| Status::SUCCESS)))
    }

    fn sleep(&self, round: &mut Round, call: &Signal) {
        let Some(device) = round.device else { return };
        // If the device is lost, the next looks show that.
        let guard = device.enter().ok().filter(|_| !device.spins());
        let mut sleep = self.sleep.lock();
        if guard.is_some() && sleep.call.is_none() {
            sleep.call = Timeline::create(device, false).ok();
        }
        let (Some(guard), Some(own)) = (guard, &sleep.call) else {
            drop(sleep);
            call.sleep(Some(round.pause));
            round.pause = (round.pause * 2).min(PAUSE.1);
            return;
        };
        let next = own.sure() + 1;
        round.semaphores.push(own.semaphore);
        round.values.push(next);
        if call.is_given() {
            return;
        }
        sleep.value = next;
        drop(sleep);
        let slept = device.sleep_until(&round.semaphores, &round.values, true, SLICE);
        drop(guard);
        let mut sleep = self.sleep.lock();
        sleep.value = 0;
        sleep.count += 1;
        self.awake.notify_all();
        drop(sleep);
        if slept.is_err() {
            // Out of memory, perhaps.
            std::thread::sleep(PAUSE.1);
        }
    }

    fn interrupt(&self) {
        self.sleep.lock().interrupt();
    }
}

fn key(timeline: &Timeline) -> Key {
    [std::ptr::from_ref(timeline) as u64, 0]
}

impl Vulkan {
    /// Wakes the waiter when the timeline has reached the value.
    pub(super) fn notify(&'static self, timeline: TimelineRef, value: u64, waiter: Waiter) -> Result<()> {
        self.notifier.start_in(self.used())?;
        self.notifier.list(key(&timeline), timeline, value, waiter)
    }

    /// Removes a parked thread. The program's semaphore is no longer used once this returns.
    pub(super) fn forget(&self, timeline: &Timeline, value: u64, parker: &Parker) {
        self.notifier.forget(key(timeline), value, parker);
        if timeline.is_programs() {
            self.notifier.interrupt();
            let Timelines { sleep, awake } = &self.notifier.source;
            let mut sleep = sleep.lock();
            let count = sleep.count;
            while sleep.count == count && sleep.value != 0 {
                sleep = awake.wait(sleep);
            }
        }
    }
}
