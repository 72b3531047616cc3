//! Wakes waiters for native events that do not block in the driver: one thread queries all such events in turn.
//!
//! The thread queries each event when its pause has ended, and rests between the rounds. A query ends no other thread's capture.

use super::context::Cuda;
use super::driver;
use crate::backend::Mark;
use crate::error::Result;
use crate::point::{Key, Notifier, Pauses, Rounds, Source};
use crate::status::Status;
use crate::sync::{Lazy, Signal};
use crate::workers::{Parker, Waiter};
use std::time::Instant;

/// A native event that is pending.
struct Pending {
    context: &'static Cuda,
    mark: Mark,
    since: Instant,
    /// When to query it next.
    due: Instant,
}

struct NativeEvents;

static POLLER: Lazy<Notifier<NativeEvents>> = Lazy::new(|| Notifier::new(NativeEvents));

impl Source for NativeEvents {
    const NAME: &'static str = "gevt-poll";
    type Timeline = Pending;
    type Round = Rounds;

    fn run(&self, body: impl FnOnce()) {
        if let Ok(driver) = driver::get() {
            driver.relaxed(body);
        }
    }

    fn begin(&self, round: &mut Rounds, _: bool) {
        round.begin();
    }

    fn look(&self, event: &mut Pending, _: u64, round: &mut Rounds) -> Result<Option<Status>> {
        let pauses = pauses(event.mark);
        if event.due <= round.start() {
            match event.context.has_reached(event.mark) {
                Ok(true) => {
                    pauses.learn(event.since.elapsed());
                    return Ok(Some(Status::SUCCESS));
                }
                Err(error) => return Ok(Some(error.status())),
                Ok(false) => {
                    let lasted = round.start().saturating_duration_since(event.since);
                    event.due = round.start() + pauses.next(lasted);
                }
            }
        }
        round.look_at(event.due);
        Ok(None)
    }

    fn sleep(&self, round: &mut Rounds, call: &Signal) {
        round.sleep(call);
    }
}

/// The pauses of waits for the event of the mark.
pub(super) fn pauses(Mark([event, ..]): Mark) -> Pauses {
    Pauses::of(event)
}

fn key(Mark([event, context, _]): Mark) -> Key {
    [event, context]
}

/// Adds a waiter. The caller pins the event until the waiter is woken or forgotten.
pub(super) fn add(context: &'static Cuda, mark: Mark, waiter: Waiter) -> Result<()> {
    let now = Instant::now();
    POLLER.start(())?;
    POLLER.add(key(mark), Pending { context, mark, since: now, due: now }, 0, waiter)
}

/// Removes a parked thread. The event is not queried for it once this returns.
pub(super) fn forget(mark: Mark, parker: &Parker) {
    POLLER.forget(key(mark), 0, parker);
}
