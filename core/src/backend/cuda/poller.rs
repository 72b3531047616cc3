//! Wakes waiters for native events that do not block in the driver: one thread queries all such events in turn.
//!
//! The thread queries each event when its pause has ended, and rests between the rounds. A query ends no other thread's capture.

use super::{Cuda, driver};
use crate::backend::{Backend, Mark};
use crate::error::Result;
use crate::point::{Key, Notifier, Source};
use crate::status::Status;
use crate::sync::{Lazy, Signal};
use crate::workers::{Parker, Waiter};
use std::time::{Duration, Instant};

/// The longest rest: no pause is longer.
const LONGEST: Duration = Duration::from_millis(1);

/// The minimum ratio of the pause after a round of queries to the round's duration.
const IDLE: u32 = 8;

/// The pause after a query, in a wait that has lasted that long. A query costs some microseconds of CPU time, mostly to
/// fall asleep and wake up, and a wait ends half a pause late on average.
pub(super) fn pause(lasted: Duration) -> Duration {
    const US: Duration = Duration::from_micros(1);
    (lasted / 16).clamp(16 * US, 250 * US)
}

/// A native event that is pending.
struct Pending {
    context: &'static Cuda,
    /// Nothing for a job, which waits for no event.
    mark: Option<Mark>,
    since: Instant,
    /// When to query it next.
    due: Instant,
}

/// One round of queries: when it began, and when the next query is due.
struct Round {
    start: Instant,
    next: Instant,
}

impl Default for Round {
    fn default() -> Round {
        let now = Instant::now();
        Round { start: now, next: now }
    }
}

struct NativeEvents;

static POLLER: Lazy<Notifier<NativeEvents>> = Lazy::new(|| Notifier::new(NativeEvents));

impl Source for NativeEvents {
    const NAME: &'static str = "gevt-poll";
    type Timeline = Pending;
    type Round = Round;

    fn run(&self, body: impl FnOnce()) {
        if let Ok(driver) = driver::get() {
            driver.relaxed(body);
        }
    }

    fn begin(&self, round: &mut Round, _: bool) {
        let start = Instant::now();
        *round = Round { start, next: start + LONGEST };
    }

    fn look(&self, event: &mut Pending, _: u64, round: &mut Round) -> Result<Option<Status>> {
        let Some(mark) = event.mark else { return Ok(Some(Status::SUCCESS)) };
        if event.due <= round.start {
            match event.context.reached(mark) {
                Ok(true) => return Ok(Some(Status::SUCCESS)),
                Err(error) => return Ok(Some(error.status())),
                Ok(false) => event.due = round.start + pause(round.start.saturating_duration_since(event.since)),
            }
        }
        round.next = round.next.min(event.due);
        Ok(None)
    }

    fn sleep(&self, round: &mut Round, call: &Signal) {
        let now = Instant::now();
        let until = round.next.max(now + (now - round.start) * IDLE);
        call.sleep(Some(until - now));
    }
}

/// Tells apart the marks of one native event: their failures differ.
fn key(mark: Mark) -> Key {
    [mark.0[0], mark.0[2]]
}

/// Adds a waiter. The caller pins the event until the waiter is woken or forgotten.
pub(super) fn add(context: &'static Cuda, mark: Mark, waiter: Waiter) -> Result<()> {
    let now = Instant::now();
    POLLER.add(key(mark), Pending { context, mark: Some(mark), since: now, due: now }, 0, waiter)
}

/// Runs a short job of the context's on the thread.
pub(super) fn run(context: &'static Cuda, job: impl FnOnce() + Send + 'static) -> Result<()> {
    let now = Instant::now();
    let key = [std::ptr::from_ref(context) as u64, u64::MAX];
    POLLER.add(key, Pending { context, mark: None, since: now, due: now }, 0, Waiter::Now(Box::new(|_| job())))
}

/// Removes a parked thread. The event is not queried for it once this returns.
pub(super) fn forget(mark: Mark, parker: &Parker) {
    POLLER.forget(key(mark), 0, parker);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_with_the_wait_and_are_bounded() {
        let us = Duration::from_micros;
        for (length, late, queries) in [(us(150), us(21), 9), (us(1500), us(100), 40), (us(20_000), us(255), 150)] {
            let (mut lasted, mut queried) = (Duration::ZERO, 1);
            while lasted < length {
                // A sleep ends some microseconds late.
                lasted += pause(lasted) + us(5);
                queried += 1;
            }
            let was = lasted - length;
            assert!(was <= late && queried <= queries, "{length:?}: {was:?} late after {queried} queries");
        }
    }
}
