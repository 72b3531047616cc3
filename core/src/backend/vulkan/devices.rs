//! The devices in use, and their end with the process. A call in progress would crash while the driver tears itself down, so exit waits
//! for it. A driver may wait for its queues, so exit signals what the host would have signaled. No device is destroyed.

use super::calls::PAUSE;
use super::device::Vulkan;
use super::exit;
use crate::lock::Mutex;
use crate::process::{self, Uncancelled};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long exit waits for calls that are in progress, and how long for queues to reach what it can signal. A sleeping thread wakes
/// within [`super::timeline::SLICE`]. Longer, it would wait for the program: for the lock of a queue.
const LIMIT: Duration = Duration::from_millis(500);

/// The devices that may have calls in progress: all that are neither destroyed nor returned to their owners.
static DEVICES: Mutex<Vec<Arc<Vulkan>>> = Mutex::new(Vec::new());

/// Has exit end the device's calls.
pub(super) fn watch(device: &Arc<Vulkan>) {
    DEVICES.lock().push(device.clone());
    process::before_exit(end);
}

/// The device's use has ended.
pub(super) fn forget(device: &Vulkan) {
    DEVICES.lock().retain(|known| !std::ptr::eq(&**known, device));
}

/// Waits for nothing without a bound.
fn end() {
    let _uncancelled = Uncancelled::new();
    exit::end();
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
