//! Blocks the calling thread until something of the host's has come.

use super::is_open;
use super::point::Point;
use super::stream::HostStream;
use crate::backend::deadlock::check_all;
use crate::error::Result;
use crate::point::Round;
use crate::sync::looks;
use crate::workers::{Parker, Waiter};
use std::time::Instant;

/// How often a thread checks before it parks: some microseconds.
pub(super) const SPINS: u32 = 200;

/// Blocks until the gate is open, or until the deadline; returns whether it is.
pub(super) fn block_until_open(round: Round, spin: bool, deadline: Option<Instant>) -> Result<bool> {
    if deadline.is_some_and(|at| at <= Instant::now()) {
        return is_open(round);
    }
    for _ in 0..if spin { looks(SPINS) } else { 1 } {
        if is_open(round)? {
            return Ok(true);
        }
        std::hint::spin_loop();
    }
    let parker = Parker::new();
    if round.notify(Waiter::Thread(parker.clone())).is_none() {
        let woken = parker.park(deadline);
        round.forget(&parker);
        woken?;
    }
    is_open(round)
}

/// Blocks until the point is reached, or until the deadline; false where the time ran out.
pub(super) fn block_until(point: Point, spin: bool, deadline: Option<Instant>) -> Result<bool> {
    if deadline.is_some_and(|at| at <= Instant::now()) {
        return Ok(point.is_reached());
    }
    check_all([point.dependency()], deadline)?;
    wait_until(point, spin, deadline)
}

/// Blocks until the stream has at most so many pieces of work that are not done.
pub(crate) fn block_until_at_most(stream: &'static HostStream, most: u64) -> Result<()> {
    let end = stream.end();
    block_until(Point { position: end.position.saturating_sub(most), ..end }, true, None).map(drop)
}

/// As [`block_until`], for a wait that may end.
fn wait_until(point: Point, spin: bool, deadline: Option<Instant>) -> Result<bool> {
    for _ in 0..if spin { looks(SPINS) } else { 1 } {
        if point.is_reached() {
            return Ok(true);
        }
        std::hint::spin_loop();
    }
    let parker = Parker::new();
    if point.stream.notify(point.position, Waiter::Thread(parker.clone())).is_some() {
        return Ok(true);
    }
    let woken = parker.park(deadline);
    if woken != Ok(true) {
        point.stream.forget(point.position, &parker);
    }
    woken.map(|woken| woken || point.is_reached())
}

/// Blocks until all points are reached, or until the deadline; returns whether they are. The thread is woken once, by the last.
pub(super) fn block_until_all(points: impl Iterator<Item = Point>, deadline: Option<Instant>) -> Result<bool> {
    let points: Vec<_> = points.filter(|point| !point.is_reached()).collect();
    if points.is_empty() || deadline.is_some_and(|at| at <= Instant::now()) {
        return Ok(points.is_empty());
    }
    check_all(points.iter().map(|point| point.dependency()), deadline)?;
    if let [point] = points[..] {
        return wait_until(point, true, deadline);
    }
    let parker = Parker::for_all(points.len());
    for point in &points {
        if point.stream.notify(point.position, Waiter::Thread(parker.clone())).is_some() {
            parker.unpark();
        }
    }
    let woken = parker.park(deadline);
    if woken != Ok(true) {
        points.iter().for_each(|point| point.stream.forget(point.position, &parker));
    }
    woken.map(|woken| woken || points.iter().all(|point| point.is_reached()))
}
