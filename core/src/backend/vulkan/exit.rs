//! The end of the process: drivers tear themselves down in exit handlers that run after gevt's. A call that is in progress would crash, so
//! exit waits for it; and a driver may wait for its queues, so exit signals what the host would have done. No device is destroyed.

use super::calls::Calls;
use super::device::{DeviceUse, Vulkan};
use crate::error::Result;
use crate::lifecycle::FirstCall;
use crate::lock::Mutex;
use crate::pin::Pin;
use crate::process::{self, Uncancelled};
use std::time::{Duration, Instant};

/// How long exit waits for calls that are in progress, and how long for queues to reach what it can signal. A sleeping thread wakes
/// within [`super::timeline::SLICE`]. Longer, it would wait for the program: for the lock of a queue.
const LIMIT: Duration = Duration::from_millis(500);
/// How long exit waits while a device is made or destroyed: the driver's own time, which is long on a busy machine.
const DRIVER_LIMIT: Duration = Duration::from_secs(60);
/// How long it sleeps between two looks at the queues.
const PAUSE: Duration = Duration::from_micros(50);

/// The devices that may have calls in progress: all that are neither destroyed nor returned to their owners.
static DEVICES: Mutex<Vec<DeviceUse>> = Mutex::new(Vec::new());
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

/// Has exit end the device's calls.
pub(super) fn watch(device: &DeviceUse) {
    DEVICES.lock().push(device.clone());
    process::before_exit(end);
}

/// The device's use has ended.
pub(super) fn forget(device: &Vulkan) {
    DEVICES.lock().retain(|known| !std::ptr::eq(known.get(), device));
}

/// Waits for nothing without a bound.
fn end() {
    let _uncancelled = Uncancelled::new();
    OTHERS.end();
    OTHERS.drain(Some(Instant::now() + DRIVER_LIMIT));
    // A thread that holds the lock for long is stopped, and so is its device.
    let Some(devices) = DEVICES.try_lock_until(Instant::now() + LIMIT).map(|devices| devices.clone()) else { return };
    let deadline = Instant::now() + LIMIT;
    // The end of some has begun on other threads, which release what is theirs.
    let (devices, ending): (Vec<_>, Vec<_>) = devices.into_iter().partition(|device| device.calls.end());
    devices.iter().chain(&ending).for_each(|device| device.calls.drain(Some(deadline)));
    let deadline = Instant::now() + LIMIT;
    while devices.iter().filter(|device| !device.release()).count() > 0 && Instant::now() < deadline {
        std::thread::sleep(PAUSE);
    }
}
