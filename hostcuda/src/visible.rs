//! Which devices the process sees, and in what order: CUDA_VISIBLE_DEVICES, as the driver reads it.

use gevt_core::{Backend, Context};
use std::sync::OnceLock;

/// The visible devices' own numbers, by the number that the process knows them under.
pub(crate) fn devices() -> &'static [i32] {
    static DEVICES: OnceLock<Vec<i32>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        let count = Context::device_count(Backend::HOST).unwrap_or(0);
        match std::env::var_os("CUDA_VISIBLE_DEVICES") {
            Some(list) => parse(&list.to_string_lossy(), count),
            None => (0..count).collect(),
        }
    })
}

/// The devices of a list of numbers or UUIDs. It ends at the first that is none; one that names a device twice names none.
fn parse(list: &str, count: i32) -> Vec<i32> {
    let mut devices = Vec::new();
    for device in list.split(',').map_while(|entry| find(entry.trim(), count)) {
        if devices.contains(&device) {
            return Vec::new();
        }
        devices.push(device);
    }
    devices
}

/// The device that an entry names: its number, or the beginning of its UUID that no other device has.
fn find(entry: &str, count: i32) -> Option<i32> {
    if let Some(start) = entry.strip_prefix("GPU-") {
        let mut named = (0..count).filter(|device| uuid_text(*device).starts_with(&start.to_lowercase()));
        return named.next().filter(|_| named.next().is_none());
    }
    entry.parse().ok().filter(|device| (0..count).contains(device))
}

/// The UUID of the device that has this number whatever the process sees.
pub(crate) fn own_uuid(device: i32) -> [u8; 16] {
    let mut uuid = *b"gevt-hostcuda-\0\0";
    uuid[14..].copy_from_slice(&(device as u16).to_be_bytes());
    uuid
}

fn uuid_text(device: i32) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let uuid = own_uuid(device);
    [&uuid[..4], &uuid[4..6], &uuid[6..8], &uuid[8..10], &uuid[10..]].map(hex).join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_chooses_and_orders_the_devices() {
        assert_eq!(parse("2,0", 3), [2, 0]);
        assert_eq!(parse(" 1 , 2", 3), [1, 2]);
        assert_eq!(parse(&format!("GPU-{}", uuid_text(1)), 3), [1]);
    }

    #[test]
    fn a_list_ends_where_it_names_no_device() {
        assert_eq!(parse("1,3,0", 3), [1]);
        for none in ["", "-1", "x", "GPU-", "GPU-ff", "NoDevFiles", "0,1,0"] {
            assert!(parse(none, 3).is_empty(), "{none}");
        }
        assert_eq!(parse("GPU-", 1), [0]);
    }
}
