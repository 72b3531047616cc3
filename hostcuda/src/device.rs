//! What the virtual devices report about themselves.

use crate::code::{Code, Result};
use crate::report::uncancelled;
use crate::visible;
use std::sync::OnceLock;

/// The CUDA version that the driver reports.
pub(crate) const VERSION: i32 = 13000;
/// The compute capability that devices report: an H200's, whose event semantics they have.
pub(crate) const CAPABILITY: (i32, i32) = (9, 0);

pub(crate) fn count() -> i32 {
    visible::devices().len() as i32
}

/// Refuses a number that no device has.
pub(crate) fn check(device: i32) -> Result<i32> {
    if (0..count()).contains(&device) { Ok(device) } else { Err(Code::INVALID_DEVICE) }
}

/// The number that the device has whatever the process sees.
pub(crate) fn own_number(device: i32) -> i32 {
    usize::try_from(device).ok().and_then(|at| visible::devices().get(at)).copied().unwrap_or(device)
}

pub(crate) fn name(device: i32) -> String {
    format!("gevt host device {}", own_number(device))
}

pub(crate) fn uuid(device: i32) -> [u8; 16] {
    visible::own_uuid(own_number(device))
}

/// The PCI address, as domain, bus and device.
pub(crate) fn pci(device: i32) -> [i32; 3] {
    [0, own_number(device) + 1, 0]
}

/// The PCI address in words.
pub(crate) fn pci_text(device: i32) -> String {
    let [domain, bus, slot] = pci(device);
    format!("{domain:04x}:{bus:02x}:{slot:02x}.0")
}

/// Returns the device of a PCI address.
pub(crate) fn by_pci(text: &str) -> Result<i32> {
    let text = text.to_lowercase();
    let is_it = |device: &i32| {
        let own = pci_text(*device);
        own.ends_with(&text) || own == format!("{text}.0")
    };
    (0..count()).find(is_it).filter(|_| text.len() >= 5).ok_or(Code::INVALID_VALUE)
}

/// Returns the machine's memory in bytes.
pub(crate) fn total_memory() -> usize {
    // SAFETY: all zeros is a value of this C struct.
    let mut info: libc::sysinfo = unsafe { std::mem::zeroed() };
    // SAFETY: the call writes to the struct.
    if unsafe { libc::sysinfo(&raw mut info) } == 0 { (info.totalram * u64::from(info.mem_unit)) as usize } else { 0 }
}

/// Returns how many bytes of it were available at the first call.
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

/// The attributes that are the same everywhere and not 0, by CUDA's number. Those that a machine without a GPU cannot have, but that
/// programs divide by, are an H200's.
const ATTRIBUTES: &[(i32, i32)] = &[
    (1, 1024),       // MAX_THREADS_PER_BLOCK
    (2, 1024),       // MAX_BLOCK_DIM_X
    (3, 1024),       // MAX_BLOCK_DIM_Y
    (4, 64),         // MAX_BLOCK_DIM_Z
    (5, i32::MAX),   // MAX_GRID_DIM_X
    (6, 65535),      // MAX_GRID_DIM_Y
    (7, 65535),      // MAX_GRID_DIM_Z
    (8, 49152),      // MAX_SHARED_MEMORY_PER_BLOCK
    (9, 65536),      // TOTAL_CONSTANT_MEMORY
    (10, 32),        // WARP_SIZE
    (11, i32::MAX),  // MAX_PITCH
    (12, 65536),     // MAX_REGISTERS_PER_BLOCK
    (13, 1_980_000), // CLOCK_RATE, in kHz
    (14, 512),       // TEXTURE_ALIGNMENT
    (15, 1),         // GPU_OVERLAP
    (19, 1),         // CAN_MAP_HOST_MEMORY
    (21, 131_072),   // MAXIMUM_TEXTURE1D_WIDTH
    (22, 131_072),   // MAXIMUM_TEXTURE2D_WIDTH, _HEIGHT
    (23, 65536),
    (24, 16384), // MAXIMUM_TEXTURE3D_WIDTH, _HEIGHT, _DEPTH
    (25, 16384),
    (26, 16384),
    (27, 32768), // MAXIMUM_TEXTURE2D_LAYERED_WIDTH, _HEIGHT, _LAYERS
    (28, 32768),
    (29, 2048),
    (30, 512),       // SURFACE_ALIGNMENT
    (31, 1),         // CONCURRENT_KERNELS
    (36, 3_201_000), // MEMORY_CLOCK_RATE, in kHz
    (37, 6016),      // GLOBAL_MEMORY_BUS_WIDTH
    (38, 60 << 20),  // L2_CACHE_SIZE
    (39, 2048),      // MAX_THREADS_PER_MULTIPROCESSOR
    (40, 2),         // ASYNC_ENGINE_COUNT
    (41, 1),         // UNIFIED_ADDRESSING
    (42, 32768),     // MAXIMUM_TEXTURE1D_LAYERED_WIDTH, _LAYERS
    (43, 2048),
    (45, 32768), // MAXIMUM_TEXTURE2D_GATHER_WIDTH, _HEIGHT
    (46, 32768),
    (47, 8192), // MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE, _HEIGHT_, _DEPTH_
    (48, 8192),
    (49, 32768),
    (51, 32),    // TEXTURE_PITCH_ALIGNMENT
    (52, 32768), // MAXIMUM_TEXTURECUBEMAP_WIDTH
    (53, 32768), // MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH, _LAYERS
    (54, 2046),
    (55, 32768),   // MAXIMUM_SURFACE1D_WIDTH
    (56, 131_072), // MAXIMUM_SURFACE2D_WIDTH, _HEIGHT
    (57, 65536),
    (58, 16384), // MAXIMUM_SURFACE3D_WIDTH, _HEIGHT, _DEPTH
    (59, 16384),
    (60, 16384),
    (61, 32768), // MAXIMUM_SURFACE1D_LAYERED_WIDTH, _LAYERS
    (62, 2048),
    (63, 32768), // MAXIMUM_SURFACE2D_LAYERED_WIDTH, _HEIGHT, _LAYERS
    (64, 32768),
    (65, 2048),
    (66, 32768), // MAXIMUM_SURFACECUBEMAP_WIDTH
    (67, 32768), // MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH, _LAYERS
    (68, 2046),
    (69, 1 << 28), // MAXIMUM_TEXTURE1D_LINEAR_WIDTH
    (70, 131_072), // MAXIMUM_TEXTURE2D_LINEAR_WIDTH, _HEIGHT, _PITCH
    (71, 65000),
    (72, 2_097_120),
    (73, 32768), // MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH, _HEIGHT
    (74, 32768),
    (75, CAPABILITY.0), // COMPUTE_CAPABILITY_MAJOR
    (76, CAPABILITY.1), // COMPUTE_CAPABILITY_MINOR
    (77, 32768),        // MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH
    (78, 1),            // STREAM_PRIORITIES_SUPPORTED
    (81, 228 << 10),    // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
    (82, 65536),        // MAX_REGISTERS_PER_MULTIPROCESSOR
    (83, 1),            // MANAGED_MEMORY
    (87, 2),            // SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO
    (88, 1),            // PAGEABLE_MEMORY_ACCESS
    (89, 1),            // CONCURRENT_MANAGED_ACCESS
    (90, 1),            // COMPUTE_PREEMPTION_SUPPORTED
    (91, 1),            // CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM
    (95, 1),            // COOPERATIVE_LAUNCH
    (97, 227 << 10),    // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    (99, 1),            // HOST_REGISTER_SUPPORTED
    (106, 32),          // MAX_BLOCKS_PER_MULTIPROCESSOR
    (111, 1024),        // RESERVED_SHARED_MEMORY_PER_BLOCK
    (113, 1),           // HOST_REGISTER_READ_ONLY_SUPPORTED
    (115, 1),           // MEMORY_POOLS_SUPPORTED
    (117, 1),           // GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS: by the host
    (118, 100),         // GPU_DIRECT_RDMA_WRITES_ORDERING: for the owner
    (122, 1),           // CAN_USE_64_BIT_STREAM_MEM_OPS, _NOR
    (123, 1),
    (125, 1), // IPC_EVENT_SUPPORTED
];

/// Returns an attribute by CUDA's number.
pub(crate) fn attribute(number: i32, device: i32) -> Result<i32> {
    check(device)?;
    let listed = || ATTRIBUTES.iter().find(|(known, _)| *known == number).map_or(0, |(_, value)| *value);
    Ok(match number {
        16 => cores(),        // MULTIPROCESSOR_COUNT
        33 => pci(device)[1], // PCI_BUS_ID
        34 => pci(device)[2], // PCI_DEVICE_ID
        50 => pci(device)[0], // PCI_DOMAIN_ID
        1..=140 => listed(),
        _ => return Err(Code::INVALID_VALUE),
    })
}
