//! The values of a timeline whose submit failed. They are signalled like others, so that nobody waits for ever, and whoever
//! asks for one of them is told.

use crate::error::{Error, Result};
use crate::status::Status;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The failed values that somebody can still ask for.
#[derive(Default)]
pub(super) struct Failures {
    any: AtomicBool,
    /// Waits in progress, for whichever value.
    holds: AtomicUsize,
    failed: Mutex<Vec<Failed>>,
}

struct Failed {
    value: u64,
    status: Status,
    /// How many events have it for their mark.
    cells: usize,
}

impl Failures {
    /// Why the value failed, if it did.
    #[inline]
    pub(super) fn of(&self, value: u64) -> Option<Status> {
        if self.any.load(Ordering::Acquire) { self.find(value) } else { None }
    }

    #[cold]
    fn find(&self, value: u64) -> Option<Status> {
        self.failed.lock().iter().find(|failed| failed.value == value).map(|failed| failed.status)
    }

    /// The value failed, which is the mark of so many events; before it is signalled.
    pub(super) fn add(&self, value: u64, status: Status, cells: usize) -> Result<()> {
        let mut failed = self.failed.lock();
        failed.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        failed.push(Failed { value, status, cells });
        self.any.store(true, Ordering::Release);
        Ok(())
    }

    /// An event no longer has the value for its mark.
    pub(super) fn left(&self, value: u64) {
        if self.any.load(Ordering::Acquire) {
            let mut failed = self.failed.lock();
            if let Some(failed) = failed.iter_mut().find(|failed| failed.value == value) {
                failed.cells = failed.cells.saturating_sub(1);
            }
            self.prune(&mut failed);
        }
    }

    /// A wait begins: what it waits for is not forgotten before [`Failures::unhold`].
    pub(super) fn hold(&self) {
        self.holds.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) fn unhold(&self) {
        if self.holds.fetch_sub(1, Ordering::SeqCst) == 1 && self.any.load(Ordering::Acquire) {
            self.prune(&mut self.failed.lock());
        }
    }

    fn prune(&self, failed: &mut Vec<Failed>) {
        if self.holds.load(Ordering::SeqCst) == 0 {
            failed.retain(|failed| failed.cells > 0);
            self.any.store(!failed.is_empty(), Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_value_is_known_as_long_as_somebody_can_ask() {
        let failures = Failures::default();
        failures.add(3, Status::OUT_OF_MEMORY, 2).expect("there is memory");
        assert_eq!((failures.of(3), failures.of(2)), (Some(Status::OUT_OF_MEMORY), None));
        failures.left(3);
        assert_eq!(failures.of(3), Some(Status::OUT_OF_MEMORY));
        failures.hold();
        failures.left(3);
        assert_eq!(failures.of(3), Some(Status::OUT_OF_MEMORY));
        failures.unhold();
        assert_eq!(failures.of(3), None);
        assert!(!failures.any.load(Ordering::Relaxed));
    }
}
