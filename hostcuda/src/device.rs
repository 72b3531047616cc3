//! What the virtual devices report about themselves.

use crate::code::{Code, Result};
use crate::report::uncancelled;
use crate::visible;
use std::sync::OnceLock;

/// The CUDA version that the driver reports.
pub(crate) const VERSION: i32 = 13000;
/// The compute capability that devices report: an H200's. They have its event semantics.
/// Attributes 75 and 76 in data/attributes.tsv must agree.
pub(crate) const CAPABILITY: (i32, i32) = (9, 0);

pub(crate) fn count() -> i32 {
    visible::devices().len() as i32
}

/// Refuses a number that no device has.
pub(crate) fn check(device: i32) -> Result<i32> {
    if (0..count()).contains(&device) { Ok(device) } else { Err(Code::INVALID_DEVICE) }
}

/// The physical number of a device, before CUDA_VISIBLE_DEVICES renumbers it.
pub(crate) fn own_number(device: i32) -> i32 {
    usize::try_from(device).ok().and_then(|at| visible::devices().get(at)).copied().unwrap_or(device)
}

pub(crate) fn name(device: i32) -> String {
    format!("gevt host device {}", own_number(device))
}

pub(crate) fn uuid(device: i32) -> [u8; 16] {
    visible::own_uuid(own_number(device))
}

/// The PCI address as domain, bus and device.
pub(crate) fn pci(device: i32) -> [i32; 3] {
    [0, own_number(device) + 1, 0]
}

/// The PCI address as text.
pub(crate) fn pci_text(device: i32) -> String {
    let [domain, bus, slot] = pci(device);
    format!("{domain:04x}:{bus:02x}:{slot:02x}.0")
}

/// Returns the size of the machine's memory in bytes.
pub(crate) fn total_memory() -> usize {
    // SAFETY: all zeros is a value of this C struct.
    let mut info: libc::sysinfo = unsafe { std::mem::zeroed() };
    // SAFETY: the call writes to the struct.
    if unsafe { libc::sysinfo(&raw mut info) } == 0 { (info.totalram * u64::from(info.mem_unit)) as usize } else { 0 }
}

/// Returns how many bytes of memory were available at the first call.
pub(crate) fn available_memory() -> usize {
    static AVAILABLE: OnceLock<usize> = OnceLock::new();
    *AVAILABLE.get_or_init(|| {
        let text = uncancelled(|| std::fs::read_to_string("/proc/meminfo")).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
        line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<usize>().ok()).unwrap_or(0) * 1024
    })
}

/// Returns the number of processor cores.
fn cores() -> i32 {
    uncancelled(std::thread::available_parallelism).map_or(1, |cores| cores.get() as i32)
}

/// An attribute and its place in cudaDeviceProp.
pub(crate) struct Attribute {
    number: i32,
    /// `None` for a value that depends on the machine or the device.
    value: Option<i32>,
    /// The offsets in CUDA 12 and 13.
    pub(crate) places: [Option<usize>; 2],
    pub(crate) bytes: usize,
}

/// The attributes that are not 0.
pub(crate) static ATTRIBUTES: &[Attribute] = include!(concat!(env!("OUT_DIR"), "/attributes.rs"));

/// Returns an attribute by CUDA's number.
pub(crate) fn attribute(number: i32, device: i32) -> Result<i32> {
    check(device)?;
    if !(1..=140).contains(&number) {
        return Err(Code::INVALID_VALUE);
    }
    ATTRIBUTES.iter().find(|known| known.number == number).map_or(Ok(0), |known| known.of(device))
}

impl Attribute {
    /// Returns its value for a device.
    pub(crate) fn of(&self, device: i32) -> Result<i32> {
        Ok(match (self.value, self.number) {
            (Some(value), _) => value,
            (None, 16) => cores(),        // MULTIPROCESSOR_COUNT
            (None, 33) => pci(device)[1], // PCI_BUS_ID
            (None, 34) => pci(device)[2], // PCI_DEVICE_ID
            (None, 50) => pci(device)[0], // PCI_DOMAIN_ID
            _ => return Err(Code::UNKNOWN),
        })
    }
}
