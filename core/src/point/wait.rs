//! A thread's wait: it looks for some microseconds, and then parks until it is woken, or polls if that is sooner.

use crate::error::Result;
use crate::os::FineTimer;
use crate::process;
use crate::sync::looks;
use crate::workers::{self, Parker, Waiter};
use std::time::{Duration, Instant};

/// How often and how long a thread looks before it parks.
pub(crate) const LOOKS: u32 = 200;
const SPIN: Duration = Duration::from_micros(20);
/// How often it looks between two reads of the clock.
const BETWEEN: u32 = 16;

/// A point that threads wait for.
pub(crate) trait Awaitable {
    /// Returns whether it is reached, or why it failed.
    fn reached(&self) -> Result<bool>;

    /// Wakes the waiter when it is reached. Returns the waiter if it is already.
    fn notify(&self, waiter: Waiter) -> Result<Option<Waiter>>;

    /// Forgets a thread of [`Awaitable::notify`].
    fn forget(&self, parker: &Parker);

    /// The pause before the next look of a thread that has waited so long, for a point that only looks show to be reached; none if it
    /// wakes its waiters. Such a thread polls: a thread that did it in its place would have to wake it as well.
    fn pause(&self, _lasted: Duration) -> Option<Duration> {
        None
    }
}

/// The least ratio of a pause to the look before it.
const IDLE: u32 = 8;

/// Which points a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    All,
    Any,
}

/// Blocks until the points are reached, or until the deadline; returns whether they are. With `spin`, the thread keeps its core for some
/// microseconds before it parks. A failed point fails the wait.
pub(crate) fn wait(points: &[impl Awaitable], until: Until, spin: bool, deadline: Option<Instant>) -> Result<bool> {
    let any = until == Until::Any;
    let is_over = || {
        for point in points {
            if point.reached()? == any {
                return Ok(any);
            }
        }
        Ok(!any)
    };
    if is_over()? {
        return Ok(true);
    }
    let is_late = |now| deadline.is_some_and(|at| at <= now);
    let start = Instant::now();
    if is_late(start) {
        return Ok(false);
    }
    for look in 1..if spin { looks(LOOKS) } else { 1 } {
        if look % BETWEEN == 0 && start.elapsed() >= SPIN {
            break;
        }
        std::hint::spin_loop();
        if is_over()? {
            return Ok(true);
        }
    }
    // The shortest pause, if all points have one.
    let pause = |lasted| {
        points.iter().map(|point| point.pause(lasted)).reduce(|a, b| a.zip(b).map(|(a, b)| a.min(b))).flatten()
    };
    if pause(Duration::ZERO).is_some() {
        return workers::asleep(|| poll(is_over, |lasted| pause(lasted).unwrap_or_default(), start, deadline));
    }
    loop {
        park(points, until, deadline)?;
        if is_over()? {
            return Ok(true);
        }
        if is_late(Instant::now()) {
            return Ok(false);
        }
    }
}

/// Looks, with pauses in between, until the wait is over or the deadline has passed.
fn poll(
    is_over: impl Fn() -> Result<bool>,
    pause: impl Fn(Duration) -> Duration,
    start: Instant,
    deadline: Option<Instant>,
) -> Result<bool> {
    let _fine = FineTimer::new();
    let mut look = start;
    loop {
        let now = Instant::now();
        let left = deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(now));
        if left.is_zero() {
            return Ok(false);
        }
        let took = if look == start { Duration::ZERO } else { now - look };
        std::thread::sleep(pause(now - start).max(took * IDLE).min(left));
        process::check()?;
        look = Instant::now();
        if is_over()? {
            return Ok(true);
        }
    }
}

/// Like [`wait`] for one point, and runs what is due on the calling thread meanwhile.
pub(crate) fn wait_helping(point: &impl Awaitable, deadline: Option<Instant>) -> Result<bool> {
    if deadline.is_some_and(|at| at <= Instant::now()) {
        return point.reached();
    }
    let parker = Parker::new();
    if point.notify(Waiter::Thread(parker.clone()))?.is_some() {
        return Ok(true);
    }
    let done = workers::get().work_until(&parker, deadline, &|| point.reached());
    point.forget(&parker);
    done
}

/// Parks until the points wake the thread, or until the deadline.
fn park(points: &[impl Awaitable], until: Until, deadline: Option<Instant>) -> Result<()> {
    let parker = Parker::for_all(if until == Until::All { points.len() } else { 1 });
    let listed = points.iter().try_for_each(|point| {
        let reached = point.notify(Waiter::Thread(parker.clone()))?;
        reached.into_iter().for_each(|_| parker.unpark());
        Ok(())
    });
    let woken = listed.and_then(|()| workers::asleep(|| parker.park(deadline)));
    if until == Until::Any || woken != Ok(true) {
        points.iter().for_each(|point| point.forget(&parker));
    }
    woken.map(drop)
}

#[cfg(all(test, not(loom)))]
#[path = "wait_tests.rs"]
mod tests;
