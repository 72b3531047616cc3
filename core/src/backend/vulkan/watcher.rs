//! Wakes waiters that do not block in Vulkan. One thread for each device reads the counters of the awaited timelines, after pauses that grow
//! with the wait. A stream that signals a value from the host wakes its waiters itself.

use crate::error::Result;
use crate::point::{Pauses, Rounds, Source};
use crate::status::Status;
use crate::sync::Signal;
use std::sync::Arc;
use std::time::Instant;

/// A device's timelines, as its thread looks at them.
pub(super) struct Timelines;

/// What the thread asks a timeline.
pub(super) trait Progress: Send + Sync {
    /// Returns how the value has ended, if it has. Without `asks`, only what is known counts.
    fn ended(&self, value: u64, asks: bool) -> Result<Option<Status>>;
}

/// A timeline with waiters.
pub(super) struct Watched {
    timeline: Arc<dyn Progress>,
    /// The nearest value, and since when that is awaited.
    value: u64,
    since: Instant,
    /// When to look next.
    due: Instant,
}

impl Watched {
    /// The timeline, whose value is awaited from now on.
    pub(super) fn new(timeline: Arc<dyn Progress>, value: u64) -> Watched {
        let now = Instant::now();
        Watched { timeline, value, since: now, due: now }
    }
}

impl Source for Timelines {
    const NAME: &'static str = "gevt-vulkan";
    type Timeline = Watched;
    type Round = Rounds;

    fn begin(&self, round: &mut Rounds, _: bool) {
        round.begin();
    }

    fn look(&self, watched: &mut Watched, value: u64, round: &mut Rounds) -> Result<Option<Status>> {
        let now = round.start();
        if watched.value != value {
            (watched.value, watched.since, watched.due) = (value, now, now);
        }
        let is_due = watched.due <= now;
        let ended = match watched.timeline.ended(value, is_due) {
            Err(error) if !error.is_shortage() => Ok(Some(error.status())),
            ended => ended,
        };
        if is_due {
            watched.due = now + Pauses::UNLEARNED.next(now.saturating_duration_since(watched.since));
        }
        if ended != Ok(None) {
            return ended;
        }
        round.look_at(watched.due);
        Ok(None)
    }

    fn sleep(&self, round: &mut Rounds, call: &Signal) {
        round.sleep(call);
    }
}
