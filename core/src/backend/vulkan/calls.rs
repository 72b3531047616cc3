//! A device's calls in progress: its end waits for them. A call protects the device by a hazard pointer, or is counted if its thread
//! protects something already.

use crate::error::{Error, Result};
use crate::pin::{self, Pin};
use crate::process;
use crate::status::Status;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long the end sleeps between two checks.
const PAUSE: Duration = Duration::from_micros(50);

/// The calls in progress, and whether more may begin.
pub(super) struct Calls {
    counted: AtomicUsize,
    ended: AtomicBool,
}

/// A call in progress. It ends when the value is dropped.
pub(super) struct CallGuard<'a> {
    /// How many calls are counted, with this one, unless it protects the device.
    counted: Option<&'a AtomicUsize>,
    _pin: Option<Pin>,
}

impl Calls {
    pub(super) const fn new() -> Calls {
        Calls { counted: AtomicUsize::new(0), ended: AtomicBool::new(false) }
    }

    /// Begins a call; refused once the end has begun.
    #[inline]
    pub(super) fn enter(&self) -> Result<CallGuard<'_>> {
        let pin = Pin::of(self.address());
        let counted = pin.is_none().then(|| {
            self.counted.fetch_add(1, Ordering::SeqCst);
            &self.counted
        });
        let guard = CallGuard { counted, _pin: pin };
        self.check().map(|()| guard)
    }

    fn address(&self) -> u64 {
        std::ptr::from_ref(self).addr() as u64
    }

    /// Fails once the end has begun.
    #[inline]
    pub(super) fn check(&self) -> Result<()> {
        if self.has_ended() { Err(process::check().err().unwrap_or(ENDED)) } else { Ok(()) }
    }

    /// Lets no further call begin. True for the first caller.
    pub(super) fn end(&self) -> bool {
        !self.ended.swap(true, Ordering::SeqCst)
    }

    /// Returns whether the end has begun.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// Blocks until no call is in progress, or until the deadline.
    pub(super) fn drain(&self, deadline: Option<Instant>) {
        let is_busy = || self.counted.load(Ordering::SeqCst) != 0 || pin::scan().has(self.address());
        while is_busy() && deadline.is_none_or(|deadline| Instant::now() < deadline) {
            std::thread::sleep(PAUSE);
        }
    }
}

impl Drop for CallGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(counted) = self.counted {
            counted.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Why a device that its owner has closed is refused.
pub(super) const ENDED: Error = Error::ContextLost(Status::CONTEXT_IS_DESTROYED);
