//! The end of the process: a driver tears itself down then, and calls that are still under way would crash in it.

use super::device::Vulkan;
use crate::process;
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// How long exit waits for calls that are under way. A sleeping thread wakes within [`super::timeline::SLICE`].
const LIMIT: Duration = Duration::from_millis(500);

/// The devices that may have calls under way.
static DEVICES: Mutex<Vec<&'static Vulkan>> = Mutex::new(Vec::new());

/// Has exit end the device's calls.
pub(super) fn watch(device: &'static Vulkan) {
    let mut devices = DEVICES.lock();
    devices.retain(|device| !device.calls.has_ended());
    devices.push(device);
    process::before_exit(end);
}

fn end() {
    // A thread that holds the lock for long is stopped, and so is its device.
    let Some(devices) = DEVICES.try_lock_for(LIMIT) else { return };
    for device in devices.iter() {
        device.calls.end();
    }
    let deadline = Instant::now() + LIMIT;
    for device in devices.iter() {
        device.calls.drain(Some(deadline));
    }
}
