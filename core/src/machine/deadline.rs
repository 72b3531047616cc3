//! The deadline of a wait.

use crate::error::{Error, Result};
use std::time::{Duration, Instant};

/// Until when a call waits.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// The call waits without a limit.
    pub const NEVER: Deadline = Deadline(None);

    /// Returns the deadline so much later than now; that of a time which no clock reaches is [`Deadline::NEVER`].
    pub fn after(timeout: Duration) -> Deadline {
        Deadline(Instant::now().checked_add(timeout))
    }
}

impl Deadline {
    /// Returns the instant for a backend; `None` for [`Deadline::NEVER`].
    pub(super) fn instant(self) -> Option<Instant> {
        self.0
    }

    /// Returns the result of a wait, which may have timed out.
    pub(super) fn in_time(self, done: bool) -> Result<()> {
        if done { Ok(()) } else { Err(Error::TimedOut) }
    }
}

impl From<Instant> for Deadline {
    fn from(at: Instant) -> Deadline {
        Deadline(Some(at))
    }
}
