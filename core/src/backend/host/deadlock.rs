//! Waits inside functions of streams that would never end: what they wait for comes only after the function.
//!
//! A stream comes to a point when the function that it runs has returned, and when it has got past the waits that stand in its
//! queue before the point. What those wait for was given before them, so these alone make no circle. A function that waits may close
//! one, through other streams and through functions that wait already: each checks before it waits, under one lock, so that
//! of several that would wait for each other the last one finds out.

use super::point::Point;
use super::running::{Running, with_running};
use super::stream::HostStream;
use crate::collect::try_collect;
use crate::error::{Error, Result};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// A function that waits.
#[derive(Clone, Copy)]
struct Blocked {
    wait: u64,
    function: Point,
    awaited: Point,
}

/// The functions that wait without a deadline for a stream of this process to come to a point.
static BLOCKED: Mutex<Vec<Blocked>> = Mutex::new(Vec::new());

/// The calling thread's function waits, until this is dropped.
pub(super) struct Waiting(Option<u64>);

impl Waiting {
    /// Refuses to wait for points that only come after a function that the calling thread is inside.
    pub(super) fn check(points: impl Iterator<Item = Point>) -> Result<()> {
        if with_running(Running::innermost).is_none() {
            Ok(())
        } else {
            check(&BLOCKED.lock(), try_collect(points.map(Ok))?)
        }
    }

    /// As [`Waiting::check`], and lets other functions know that this one waits for all of the points. One that waits until a
    /// deadline holds nobody up for ever.
    pub(super) fn begin(points: &[Point], deadline: Option<Instant>) -> Result<Waiting> {
        let Some(function) = with_running(Running::innermost) else { return Ok(Waiting(None)) };
        let mut blocked = BLOCKED.lock();
        check(&blocked, try_collect(points.iter().copied().map(Ok))?)?;
        if deadline.is_some() {
            return Ok(Waiting(None));
        }
        blocked.try_reserve(points.len()).map_err(|_| Error::OutOfMemory)?;
        let wait = next_wait();
        blocked.extend(points.iter().map(|awaited| Blocked { wait, function, awaited: *awaited }));
        Ok(Waiting(Some(wait)))
    }

    /// Notes that `function` continues only when `awaited`, which the same thread runs now, is done.
    pub(super) fn of(function: Point, awaited: Point) -> Waiting {
        let wait = next_wait();
        BLOCKED.lock().push(Blocked { wait, function, awaited });
        Waiting(Some(wait))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(wait) = self.0 {
            BLOCKED.lock().retain(|blocked| blocked.wait != wait);
        }
    }
}

fn next_wait() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Follows what has to come before the points; an error if a function of the calling thread's is among it.
fn check(blocked: &[Blocked], mut points: Vec<Point>) -> Result<()> {
    let own = with_running(|running| running.points().collect::<Vec<_>>());
    // How far each stream was followed.
    let mut seen = BTreeMap::<*const HostStream, u64>::new();
    while let Some(point) = points.pop() {
        let is_behind =
            |function: Point| std::ptr::eq(function.stream, point.stream) && point.position >= function.position;
        if own.iter().copied().any(is_behind) {
            return Err(Error::WouldDeadlock);
        }
        let followed = seen.entry(std::ptr::from_ref(point.stream)).or_insert(0);
        if point.position <= *followed || point.is_reached() {
            continue;
        }
        let from = std::mem::replace(followed, point.position);
        let mut has_memory = true;
        let mut follow = |point| {
            has_memory &= points.try_reserve(1).is_ok();
            if has_memory {
                points.push(point);
            }
        };
        point.stream.waits(point.position, |position, awaited| {
            if position >= from {
                follow(awaited);
            }
        });
        blocked.iter().filter(|blocked| is_behind(blocked.function)).for_each(|blocked| follow(blocked.awaited));
        if !has_memory {
            return Err(Error::OutOfMemory);
        }
    }
    Ok(())
}
