use super::*;
use crate::status::Status;
use std::cell::Cell;

/// Reached as soon as a thread is listed, or never.
struct Point {
    opens: bool,
    reached: Cell<bool>,
    listed: Cell<usize>,
}

impl Awaitable for Point {
    fn reached(&self) -> Result<bool> {
        Ok(self.reached.get())
    }

    fn notify(&self, waiter: Waiter) -> Result<Option<Waiter>> {
        self.listed.set(self.listed.get() + 1);
        if self.opens {
            self.reached.set(true);
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
        let points = [false, true].map(|opens| Point { opens, reached: Cell::default(), listed: Cell::default() });
        assert_eq!(wait(&points, until, false, deadline), Ok(until == Until::Any));
        assert_eq!(points.map(|point| point.listed.get()), [0, 0]);
    }
}
