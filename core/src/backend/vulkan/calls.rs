//! A device's calls in progress: each pins the device, and its end waits for them.

use crate::error::{Error, Result};
use crate::pin::{self, Pin};
use crate::process;
use crate::status::Status;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long the end of a device, or of the process, sleeps between two checks.
pub(super) const PAUSE: Duration = Duration::from_micros(50);

/// The calls in progress, and whether more may begin.
pub(super) struct Calls {
    ended: AtomicBool,
}

impl Calls {
    pub(super) const fn new() -> Calls {
        Calls { ended: AtomicBool::new(false) }
    }

    /// Begins a call, which lasts as long as the pin; refused once the end has begun.
    #[inline]
    pub(super) fn enter(&self) -> Result<Pin> {
        let pin = Pin::of(self.address()).ok_or(Error::OutOfMemory)?;
        self.check().map(|()| pin)
    }

    /// What the pins name.
    pub(super) fn address(&self) -> u64 {
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
        while pin::scan().has(self.address()) && deadline.is_none_or(|deadline| Instant::now() < deadline) {
            std::thread::sleep(PAUSE);
        }
    }
}

/// Why a device that its owner has closed is refused.
pub(super) const ENDED: Error = Error::ContextLost(Status::CONTEXT_IS_DESTROYED);
