use super::*;
use crate::status::Status;
use std::cell::Cell;

/// Wakes each thread that is listed, and is reached at that one of them, or never for 0.
#[derive(Default)]
struct Point {
    opens_at: usize,
    listings: Cell<usize>,
    listed: Cell<usize>,
    most_listed: Cell<usize>,
}

impl Awaitable for Point {
    fn reached(&self) -> Result<bool> {
        Ok(self.opens_at > 0 && self.listings.get() >= self.opens_at)
    }

    fn notify(&self, waiter: Waiter) -> Result<Option<Waiter>> {
        self.listed.set(self.listed.get() + 1);
        self.listings.set(self.listings.get() + 1);
        self.most_listed.set(self.most_listed.get().max(self.listed.get()));
        if self.opens_at > 0 {
            workers::wake(waiter, Status::SUCCESS);
        }
        Ok(None)
    }

    fn forget(&self, _: &Parker) {
        self.listed.set(0);
    }
}

#[test]
fn points_that_are_not_reached_forget_the_thread() {
    let soon = Instant::now() + Duration::from_millis(2);
    for (until, deadline) in [(Until::Any, None), (Until::All, Some(soon))] {
        let points = [0, 1].map(|opens_at| Point { opens_at, ..Point::default() });
        assert_eq!(wait(&points, until, false, deadline), Ok(until == Until::Any));
        assert_eq!(points.map(|point| point.listed.get()), [0, 0]);
    }
}

/// A thread that polls a timeline wakes all waiters if a poll fails.
#[test]
fn a_thread_that_is_woken_too_early_waits_on() {
    let deadline = Some(Instant::now() + Duration::from_secs(300));
    let point = || Point { opens_at: 3, ..Point::default() };
    assert_eq!(wait(&[point()], Until::All, false, deadline), Ok(true));
    let helped = point();
    assert_eq!(wait_helping(&helped, deadline), Ok(true));
    assert_eq!((helped.listed.get(), helped.most_listed.get()), (0, 1));
}
