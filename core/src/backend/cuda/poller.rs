//! Wakes waiters for native events that do not block in the driver: one thread queries all such events in turn.
//!
//! The thread queries each event when its pause has ended, and rests between the rounds. A query ends no other thread's capture.

use super::{Cuda, driver};
use crate::backend::{Backend, Mark};
use crate::error::Result;
use crate::point::{Key, Notifier, Rounds, SHORT, Source, pause};
use crate::status::Status;
use crate::sync::{Lazy, Signal};
use crate::workers::{Parker, Waiter};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How long the last waits took, in microseconds, by the address of the event: waits for one event often take equally long.
static LAST: [AtomicU32; 256] = [const { AtomicU32::new(0) }; 256];

fn last(Mark([event, ..]): Mark) -> &'static AtomicU32 {
    // The address by Fibonacci hashing.
    &LAST[(event.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize]
}

/// Like [`pause`], of a wait that should take about `expected`, or zero: there are many queries around that time.
fn pause_until(expected: Duration, lasted: Duration) -> Duration {
    let near = (expected / 32).clamp(SHORT, 40 * SHORT);
    if lasted + near < expected {
        (expected - near - lasted).min(pause(lasted)).max(SHORT)
    } else if lasted < expected + near {
        SHORT
    } else {
        pause(lasted)
    }
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
        let Some(mark) = event.mark else { return Ok(Some(Status::SUCCESS)) };
        if event.due <= round.start() {
            match event.context.reached(mark) {
                Ok(true) => {
                    let took = event.since.elapsed().as_micros();
                    last(mark).store(took.try_into().unwrap_or(u32::MAX), Ordering::Relaxed);
                    return Ok(Some(Status::SUCCESS));
                }
                Err(error) => return Ok(Some(error.status())),
                Ok(false) => {
                    let expected = Duration::from_micros(last(mark).load(Ordering::Relaxed).into());
                    event.due =
                        round.start() + pause_until(expected, round.start().saturating_duration_since(event.since));
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

fn key(Mark([event, context, _]): Mark) -> Key {
    [event, context]
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

    /// Returns how late a wait of that length ends, and after how many queries. A sleep ends some microseconds late.
    fn wait(length: Duration, pause: impl Fn(Duration) -> Duration) -> (Duration, u32) {
        let (mut lasted, mut queried) = (Duration::ZERO, 1);
        while lasted < length {
            lasted += pause(lasted) + Duration::from_micros(5);
            queried += 1;
        }
        (lasted - length, queried)
    }

    #[test]
    fn pauses_grow_with_the_wait_and_are_bounded() {
        let us = Duration::from_micros;
        for (length, late, queries) in [(us(150), us(21), 9), (us(1500), us(100), 40), (us(20_000), us(255), 150)] {
            for (was, queried) in [wait(length, pause), wait(length, |lasted| pause_until(Duration::ZERO, lasted))] {
                assert!(was <= late && queried <= queries, "{length:?}: {was:?} late after {queried} queries");
            }
        }
    }

    #[test]
    fn a_wait_as_long_as_the_last_one_ends_soon_after_few_queries() {
        let us = Duration::from_micros;
        for (length, queries) in [(150, 9), (500, 24), (1500, 45), (5000, 80), (20_000, 180)] {
            for percent in [98, 100, 102] {
                let (was, queried) = wait(us(length * percent / 100), |lasted| pause_until(us(length), lasted));
                assert!(was <= us(21) && queried <= queries, "{length} µs: {was:?} late after {queried} queries");
            }
        }
    }
}
