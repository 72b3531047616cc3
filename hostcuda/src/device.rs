//! What the virtual devices say about themselves.

use crate::code::{Code, Result};
use crate::visible;

/// The CUDA version that the driver reports.
pub(crate) const VERSION: i32 = 13000;
/// What a device says of its architecture: that of an H200, whose event semantics it has.
pub(crate) const CAPABILITY: (i32, i32) = (9, 0);

pub(crate) fn count() -> i32 {
    visible::devices().len() as i32
}

/// Refuses a number that no device has.
pub(crate) fn check(device: i32) -> Result<i32> {
    if (0..count()).contains(&device) { Ok(device) } else { Err(Code::INVALID_DEVICE) }
}

/// The number that the device has whatever the process sees.
fn own_number(device: i32) -> i32 {
    usize::try_from(device).ok().and_then(|at| visible::devices().get(at)).copied().unwrap_or(device)
}

pub(crate) fn name(device: i32) -> String {
    format!("gevt host device {}", own_number(device))
}

pub(crate) fn uuid(device: i32) -> [u8; 16] {
    own_uuid(own_number(device))
}

/// The UUID of the device of that own number.
pub(crate) fn own_uuid(device: i32) -> [u8; 16] {
    let mut uuid = *b"gevt-hostcuda-\0\0";
    uuid[14..].copy_from_slice(&(device as u16).to_be_bytes());
    uuid
}

/// The PCI address, as domain, bus and device.
pub(crate) fn pci(device: i32) -> [i32; 3] {
    [0, own_number(device) + 1, 0]
}

/// The machine's memory in bytes: all of it, and what is available.
pub(crate) fn memory() -> (usize, usize) {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<usize>().ok()).unwrap_or(0) * 1024
    };
    (field("MemTotal:"), field("MemAvailable:"))
}

/// An attribute by CUDA's number.
pub(crate) fn attribute(number: i32, device: i32) -> Result<i32> {
    check(device)?;
    Ok(match number {
        1 => 1024,                                                                        // MAX_THREADS_PER_BLOCK
        2 | 3 => 1024,                                                                    // MAX_BLOCK_DIM_X, _Y
        4 => 64,                                                                          // MAX_BLOCK_DIM_Z
        5 => i32::MAX,                                                                    // MAX_GRID_DIM_X
        6 | 7 => 65535,                                                                   // MAX_GRID_DIM_Y, _Z
        8 => 49152,                                                                       // MAX_SHARED_MEMORY_PER_BLOCK
        9 => 65536,                                                                       // TOTAL_CONSTANT_MEMORY
        10 => 32,                                                                         // WARP_SIZE
        11 => i32::MAX,                                                                   // MAX_PITCH
        12 => 65536,                                                                      // MAX_REGISTERS_PER_BLOCK
        13 => 1_000_000,                                                                  // CLOCK_RATE, in kHz
        14 => 512,                                                                        // TEXTURE_ALIGNMENT
        15 => 1,                                                                          // GPU_OVERLAP
        16 => std::thread::available_parallelism().map_or(1, |cores| cores.get() as i32), // MULTIPROCESSOR_COUNT
        19 => 1,                                                                          // CAN_MAP_HOST_MEMORY
        31 => 1,                                                                          // CONCURRENT_KERNELS
        33 => pci(device)[1],                                                             // PCI_BUS_ID
        34 => pci(device)[2],                                                             // PCI_DEVICE_ID
        36 => 1_000_000,                                                                  // MEMORY_CLOCK_RATE, in kHz
        37 => 64,                                                                         // GLOBAL_MEMORY_BUS_WIDTH
        39 => 2048,           // MAX_THREADS_PER_MULTIPROCESSOR
        40 => 2,              // ASYNC_ENGINE_COUNT
        41 => 1,              // UNIFIED_ADDRESSING
        50 => pci(device)[0], // PCI_DOMAIN_ID
        75 => CAPABILITY.0,
        76 => CAPABILITY.1,
        78 => 1,      // STREAM_PRIORITIES_SUPPORTED
        83 => 1,      // MANAGED_MEMORY
        88 | 89 => 1, // PAGEABLE_MEMORY_ACCESS, CONCURRENT_MANAGED_ACCESS
        91 => 1,      // CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM
        99 => 1,      // HOST_REGISTER_SUPPORTED
        115 => 1,     // MEMORY_POOLS_SUPPORTED
        17..=140 => 0,
        _ => return Err(Code::INVALID_VALUE),
    })
}
