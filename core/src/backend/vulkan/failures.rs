//! The values of a timeline whose submit failed. They are signaled like all values to release their waiters, and each
//! query of one of them returns the failure.

use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::status::Status;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// The bits of `Failures::open` that count events; the others have the value.
const COUNT_BITS: u32 = 24;
/// The most events that a batch records.
pub(super) const MOST: usize = (1 << COUNT_BITS) - 1;

/// The failed values that an event still has for its mark, or that a wait needs.
#[derive(Default)]
pub(super) struct Failures {
    any: AtomicBool,
    /// The value of the open batch, and how many events still have it for their mark; 0 without a batch.
    open: AtomicU64,
    /// Waits in progress, for any value.
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

    /// A batch begins whose value will be the mark of so many events, [`MOST`] at most. Called before the first of them has that mark.
    pub(super) fn begin(&self, value: u64, cells: usize) {
        self.open.store(value << COUNT_BITS | cells as u64, Ordering::Release);
    }

    /// The batch has ended, and its submit was made.
    pub(super) fn end(&self) {
        self.open.store(0, Ordering::Release);
    }

    /// The batch has ended, and its submit failed. Called before its value is signaled.
    pub(super) fn fail(&self, value: u64, status: Status) -> Result<()> {
        let mut failed = self.failed.lock();
        failed.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        // First: an event that does not find its value in `open` any more has to look in the list.
        self.any.store(true, Ordering::Release);
        let cells = self.open.swap(0, Ordering::AcqRel) as usize & MOST;
        failed.push(Failed { value, status, cells });
        self.prune(&mut failed);
        Ok(())
    }

    /// Takes an event from the count of the open batch; false if the value is not that batch's.
    fn left_open(&self, value: u64) -> bool {
        let less = |open: u64| (open >> COUNT_BITS == value && open & MOST as u64 != 0).then(|| open - 1);
        self.open.fetch_update(Ordering::AcqRel, Ordering::Acquire, less).is_ok()
    }

    /// An event no longer has the value for its mark.
    pub(super) fn left(&self, value: u64) {
        if !self.left_open(value) && self.any.load(Ordering::Acquire) {
            let mut failed = self.failed.lock();
            if let Some(failed) = failed.iter_mut().find(|failed| failed.value == value) {
                failed.cells = failed.cells.saturating_sub(1);
            }
            self.prune(&mut failed);
        }
    }

    /// Begins a wait: its values are not forgotten before [`Failures::unhold`].
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
    fn a_failed_value_is_known_while_an_event_or_a_wait_needs_it() {
        let failures = Failures::default();
        failures.begin(3, 2);
        failures.fail(3, Status::OUT_OF_MEMORY).expect("there is memory");
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

    #[test]
    fn events_that_leave_an_open_batch_are_not_counted_when_it_fails() {
        let failures = Failures::default();
        failures.begin(3, 2);
        failures.left(2);
        failures.left(3);
        failures.fail(3, Status::OUT_OF_MEMORY).expect("there is memory");
        assert_eq!(failures.of(3), Some(Status::OUT_OF_MEMORY));
        failures.left(3);
        assert!(!failures.any.load(Ordering::Relaxed));
        failures.begin(4, 1);
        failures.left(4);
        failures.fail(4, Status::OUT_OF_MEMORY).expect("there is memory");
        assert!(failures.failed.lock().is_empty() && !failures.any.load(Ordering::Relaxed));
        // A batch that succeeded leaves nothing for the next one.
        failures.begin(5, 1);
        failures.end();
        failures.left(5);
        assert_eq!(failures.open.load(Ordering::Relaxed), 0);
    }
}
