//! Wakes waiters that do not block in Vulkan. One thread for each device reads the counters of the awaited timelines, after pauses that grow
//! with the wait. A stream that signals a value from the host wakes its waiters itself.

use super::device::Vulkan;
use super::timeline::{Timeline, TimelineRef};
use crate::error::{Error, Result};
use crate::point::{Key, Pauses, Rounds, Source};
use crate::status::Status;
use crate::sync::Signal;
use crate::workers::{Parker, Waiter};
use std::time::Instant;

/// A device's timelines, as its thread looks at them.
pub(super) struct Timelines;

/// A timeline with waiters.
pub(super) struct Watched {
    timeline: TimelineRef,
    /// The nearest value, and since when that is awaited.
    value: u64,
    since: Instant,
    /// When to look next.
    due: Instant,
}

impl Source for Timelines {
    const NAME: &'static str = "gevt-vulkan";
    type Timeline = Watched;
    type Round = Rounds;

    fn begin(&self, round: &mut Rounds, _: bool) {
        round.begin();
    }

    fn look(&self, watched: &mut Watched, value: u64, round: &mut Rounds) -> Result<Option<Status>> {
        let timeline = &watched.timeline;
        if watched.value != value {
            (watched.value, watched.since, watched.due) = (value, round.start(), round.start());
        }
        if timeline.is_known(value) || watched.due <= round.start() {
            let reached = timeline.reached(value);
            if !matches!(reached, Ok(false) | Err(Error::OutOfMemory | Error::Vulkan(_))) {
                let ended = reached.and_then(|_| timeline.spans.at(value).map_or(Ok(()), Err));
                return Ok(Some(ended.map_or_else(|error| error.status(), |()| Status::SUCCESS)));
            }
            let lasted = round.start().saturating_duration_since(watched.since);
            watched.due = round.start() + Pauses::UNLEARNED.next(lasted);
            reached?;
        }
        round.look_at(watched.due);
        Ok(None)
    }

    fn sleep(&self, round: &mut Rounds, call: &Signal) {
        round.sleep(call);
    }
}

fn key(timeline: &Timeline) -> Key {
    [std::ptr::from_ref(timeline) as u64, 0]
}

impl Vulkan {
    /// Wakes the waiter when the timeline has reached the value.
    pub(super) fn notify(&'static self, timeline: TimelineRef, value: u64, waiter: Waiter) -> Result<()> {
        self.notifier.start(self.used())?;
        let (key, now) = (key(&timeline), Instant::now());
        self.notifier.add(key, Watched { timeline, value, since: now, due: now }, value, waiter)
    }

    /// Wakes those whose values the timeline is known to have reached.
    pub(super) fn wake_waiters(&self, timeline: &Timeline) {
        self.notifier.look_at(key(timeline));
    }

    /// Removes a parked thread. The program's semaphore is no longer used once this returns.
    pub(super) fn forget(&self, timeline: &Timeline, value: u64, parker: &Parker) {
        self.notifier.forget(key(timeline), value, parker);
    }
}
