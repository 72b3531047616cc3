//! Uses of a driver other than calls of a device. Drivers tear themselves down in exit handlers that run after gevt's, so exit waits for these.

use super::calls::Calls;
use crate::error::Result;
use crate::lifecycle::FirstCall;
use crate::pin::Pin;
use crate::process::Uncancelled;
use std::time::{Duration, Instant};

/// How long exit waits while a device is made or destroyed: the driver's own time, which is long on a busy machine.
const DRIVER_LIMIT: Duration = Duration::from_secs(60);

/// Uses of a driver other than calls of a device.
static OTHERS: Calls = Calls::new();

/// The calls at which a driver or a layer may register exit handlers: making a device, and the first submit. gevt's handler runs before these.
pub(super) static MADE: FirstCall = FirstCall::new();
pub(super) static SUBMITTED: FirstCall = FirstCall::new();

/// Begins a use of a driver other than a call of a device: making or ending one. Refused once exit has begun. Exit
/// waits for uses in progress.
pub(super) fn enter() -> Result<(Pin, Uncancelled)> {
    Ok((OTHERS.enter()?, Uncancelled::new()))
}

/// Lets no further use begin, and waits for the uses in progress.
pub(super) fn end() {
    OTHERS.end();
    OTHERS.drain(Some(Instant::now() + DRIVER_LIMIT));
}
