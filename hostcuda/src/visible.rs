//! The devices that the process sees, and their order: CUDA_VISIBLE_DEVICES, as the driver parses it.

use crate::report::report;
use gevt_core::{Backend, Context};
use std::sync::OnceLock;

/// The values that hide all devices.
const NONE: [&str; 3] = ["", "-1", "NoDevFiles"];

/// Returns the physical numbers of the visible devices, in the order in which the process sees them.
pub(crate) fn devices() -> &'static [i32] {
    static DEVICES: OnceLock<Vec<i32>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        let count = Context::device_count(Backend::HOST).unwrap_or(0);
        let Some(list) = std::env::var_os("CUDA_VISIBLE_DEVICES") else { return (0..count).collect() };
        let list = list.to_string_lossy();
        let (devices, refused) = parse(&list, count);
        if let Some(entry) = refused.filter(|entry| !NONE.contains(entry)) {
            let left = devices.len();
            report(format_args!(
                "CUDA_VISIBLE_DEVICES={list}: '{entry}' names no further device; visible devices: {left}"
            ));
        }
        devices
    })
}

/// Returns the devices of a list of numbers, and the refused entry if there is one. An entry without a device ends the list. A
/// duplicate hides all devices.
fn parse(list: &str, count: i32) -> (Vec<i32>, Option<&str>) {
    let mut devices = Vec::new();
    for entry in list.split(',').map(str::trim) {
        match entry.parse().ok().filter(|device| (0..count).contains(device)) {
            None => return (devices, Some(entry)),
            Some(device) if devices.contains(&device) => return (Vec::new(), Some(entry)),
            Some(device) => devices.push(device),
        }
    }
    (devices, None)
}

/// The UUID of a device, by its physical number.
pub(crate) fn own_uuid(device: i32) -> [u8; 16] {
    let mut uuid = *b"gevt-hostcuda-\0\0";
    uuid[14..].copy_from_slice(&(device as u16).to_be_bytes());
    uuid
}

#[cfg(test)]
#[path = "visible_tests.rs"]
mod tests;
