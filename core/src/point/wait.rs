//! A thread's wait: it looks for some microseconds, and then parks until it is woken, or polls if that is sooner.

use super::Pauses;
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

    /// The pauses between the looks of a thread that waits for a point which only looks show to be reached; `None` if it wakes its
    /// waiters. Such a thread polls: a thread that did it in its place would have to wake it as well.
    fn pauses(&self) -> Option<Pauses> {
        None
    }

    /// Sleeps in a way of the point's own, in which no other thread has to wake the calling one, for at most that long, in a wait that has
    /// lasted so long. False if there is none, or none any more.
    fn sleep(&self, _lasted: Duration, _most: Duration) -> bool {
        false
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
    let start = Instant::now();
    if deadline.is_some_and(|at| at <= start) {
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
        let pauses = points.iter().map(|point| point.pauses().map(|pauses| pauses.next(lasted)));
        pauses.reduce(|a, b| a.zip(b).map(|(a, b)| a.min(b))).flatten()
    };
    let fine = pause(Duration::ZERO).map(|_| FineTimer::new());
    let done = workers::asleep(|| {
        let mut took = Duration::ZERO;
        loop {
            let now = Instant::now();
            let (lasted, left) = (now - start, deadline.map_or(Duration::MAX, |at| at.saturating_duration_since(now)));
            if left.is_zero() {
                return Ok(false);
            }
            let has_slept = match (pause(lasted), points) {
                (Some(pause), _) => {
                    std::thread::sleep(pause.max(took * IDLE).min(left));
                    true
                }
                (None, [only]) => only.sleep(lasted, left),
                _ => false,
            };
            if has_slept {
                process::check()?
            } else {
                park(points, until, deadline)?
            }
            let look = Instant::now();
            if is_over()? {
                return Ok(true);
            }
            took = look.elapsed();
        }
    })?;
    if done && fine.is_some() {
        points.iter().filter_map(Awaitable::pauses).for_each(|pauses| pauses.learn(start.elapsed()));
    }
    Ok(done)
}

/// Like [`wait`] for one point, and runs what is due on the calling thread meanwhile.
pub(crate) fn wait_helping(point: &impl Awaitable, deadline: Option<Instant>) -> Result<bool> {
    if deadline.is_some_and(|at| at <= Instant::now()) {
        return point.reached();
    }
    if !workers::can_help() {
        return wait(std::slice::from_ref(point), Until::All, false, deadline);
    }
    let parker = Parker::new();
    let is_past = || Ok(point.notify(Waiter::Thread(parker.clone()))?.is_some());
    if is_past()? {
        return Ok(true);
    }
    let done = workers::get().work_until(&parker, deadline, &|was_woken| {
        let reached = point.reached()?;
        if reached || !was_woken {
            return Ok(reached);
        }
        // Perhaps by the point, which has failed to look: it wakes a thread once.
        point.forget(&parker);
        is_past()
    });
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
    let woken = listed.and_then(|()| parker.park(deadline));
    if until == Until::Any || woken != Ok(true) {
        points.iter().for_each(|point| point.forget(&parker));
    }
    woken.map(drop)
}

#[cfg(all(test, not(loom)))]
#[path = "wait_tests.rs"]
mod tests;
