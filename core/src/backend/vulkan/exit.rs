//! The end of the process: a driver tears itself down then. Calls that are still under way would crash in it, and it may wait for
//! queues: none is to stand still for what the host would have done.

use super::calls::{CallGuard, Calls};
use super::device::Vulkan;
use crate::error::Result;
use crate::process::{self, Uncancelled};
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// How long exit waits for calls that are under way, and how long for queues to come to what it can signal. A sleeping thread wakes
/// within [`super::timeline::SLICE`].
const LIMIT: Duration = Duration::from_millis(500);
/// How long it sleeps between two looks at the queues.
const PAUSE: Duration = Duration::from_micros(50);

/// The devices that may have calls under way.
static DEVICES: Mutex<Vec<&'static Vulkan>> = Mutex::new(Vec::new());
/// Uses of a driver that are no calls of a device.
static OTHERS: Calls = Calls::new();

/// Begins a use of a driver that is no call of a device: it is being made, or ended. Refused once exit has begun, which waits for those
/// that are under way.
pub(super) fn enter() -> Result<CallGuard<'static>> {
    OTHERS.enter()
}

/// Has exit end the device's calls.
pub(super) fn watch(device: &'static Vulkan) {
    let mut devices = DEVICES.lock();
    devices.retain(|device| !device.calls.has_ended());
    devices.push(device);
    process::before_exit(end);
}

/// Waits for nothing without a bound.
fn end() {
    let _uncancelled = Uncancelled::new();
    OTHERS.end();
    // A thread that holds the lock for long is stopped, and so is its device.
    let Some(mut devices) = DEVICES.try_lock_for(LIMIT).map(|devices| devices.clone()) else { return };
    // What its owner has ended may be gone.
    devices.retain(|device| device.calls.end());
    let deadline = Instant::now() + LIMIT;
    for device in &devices {
        device.calls.drain(Some(deadline));
    }
    OTHERS.drain(Some(deadline));
    let deadline = Instant::now() + LIMIT;
    while devices.iter().filter(|device| !device.release()).count() > 0 && Instant::now() < deadline {
        std::thread::sleep(PAUSE);
    }
}
