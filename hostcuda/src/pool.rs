//! Memory pools: their counters, and each device's default and current pool. All memory comes from the process's allocator.

use crate::code::{Code, Result};
use crate::device;
use crate::handle::{Handle, Lasting, of_c};
use gevt_core::lock::Mutex;
use gevt_core::table::table;
use std::sync::OnceLock;

/// A pool. It is never freed, because blocks refer to it after it is destroyed.
pub(crate) struct Pool {
    pub(crate) device: i32,
    /// The most bytes that it holds; 0 means unlimited.
    max: u64,
    pub(crate) handle: OnceLock<Handle>,
    counts: Mutex<Counts>,
}

/// CUmemLocation.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Location {
    pub(crate) kind: i32,
    pub(crate) id: i32,
}

/// CUmemAccess_flags: reads and writes.
const READ_WRITE: i32 = 3;
/// Pools allocate memory in steps of this many bytes.
pub(crate) const STEP: u64 = 32 << 20;

/// The attributes 1 to 8 by CUDA's number: three that control when memory is reused, the threshold, bytes reserved and used, each
/// followed by its high-water mark.
struct Counts([u64; 9]);

const THRESHOLD: usize = 4;
const RESERVED: usize = 5;
const USED: usize = 7;

table! {
    static POOLS: Lasting<Pool>, MemoryPool;
}

/// A device's pools, by handle.
struct DevicePools {
    default: Handle,
    current: Mutex<Handle>,
}

/// The location type of a device's memory, by CUDA's number.
const ON_DEVICE: i32 = 1;

impl Location {
    /// Returns the device. Pools are of devices.
    pub(crate) fn device(self) -> Result<i32> {
        if self.kind == ON_DEVICE { device::check(self.id) } else { Err(Code::INVALID_VALUE) }
    }
}

/// CUmemPoolProps.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Props {
    kind: i32,
    handle_types: i32,
    pub(crate) location: Location,
    security: usize,
    max: usize,
    usage: u16,
    rest: [u8; 54],
}

/// The allocation type of memory that does not move.
const PINNED: i32 = 1;
/// The handle types that Linux supports: a file descriptor and a fabric handle.
const HANDLE_TYPES: i32 = 1 | 8;

impl Props {
    /// The properties of a pool on a device.
    pub(crate) fn on_device(id: i32) -> Props {
        let location = Location { kind: ON_DEVICE, id };
        Props { kind: PINNED, handle_types: 0, location, security: 0, max: 0, usage: 0, rest: [0; 54] }
    }

    /// Checks the properties and returns the device.
    pub(crate) fn check(&self) -> Result<i32> {
        if self.handle_types & !HANDLE_TYPES != 0 || self.security != 0 || self.kind != PINNED {
            return Err(Code::INVALID_VALUE);
        }
        self.location.device().map_err(|_| Code::INVALID_VALUE)
    }
}

pub(crate) fn create(props: Props) -> Result<Handle> {
    insert(props.check()?, props)
}

fn insert(device: i32, props: Props) -> Result<Handle> {
    let counts = Counts([0, 1, 1, 1, 0, 0, 0, 0, 0]);
    let pool = Pool { device, max: props.max as u64, handle: OnceLock::new(), counts: Mutex::new(counts) };
    let pool: &'static Pool = Box::leak(Box::new(pool));
    let made = Lasting::insert(&POOLS, pool)?;
    Ok(*pool.handle.get_or_init(|| made))
}

/// Returns the pool of a handle.
pub(crate) fn get(handle: Handle) -> Result<&'static Pool> {
    Lasting::find(&POOLS, handle).ok_or(Code::INVALID_VALUE)
}

/// Destroys a pool that the program created. Its blocks stay. If it was a device's current pool, the default pool becomes current again.
pub(crate) fn destroy(handle: Handle) -> Result {
    get(handle)?;
    if all()?.iter().any(|device| device.default == handle) {
        return Err(Code::INVALID_VALUE);
    }
    POOLS.remove(of_c(handle)).map_err(|_| Code::INVALID_VALUE)?;
    for device in all()?.iter() {
        let mut current = device.current.lock();
        if *current == handle {
            *current = device.default;
        }
    }
    Ok(())
}

fn all() -> Result<&'static [DevicePools]> {
    static ALL: OnceLock<Result<Vec<DevicePools>>> = OnceLock::new();
    let make = |id| {
        let default = insert(id, Props::on_device(id))?;
        Ok(DevicePools { default, current: Mutex::new(default) })
    };
    ALL.get_or_init(|| (0..device::count()).map(make).collect()).as_deref().map_err(|code| *code)
}

fn of(device: i32) -> Result<&'static DevicePools> {
    usize::try_from(device).ok().and_then(|at| all().ok()?.get(at)).ok_or(Code::INVALID_DEVICE)
}

pub(crate) fn default_of(device: i32) -> Result<Handle> {
    Ok(of(device)?.default)
}

pub(crate) fn current_of(device: i32) -> Result<Handle> {
    Ok(*of(device)?.current.lock())
}

/// Makes a pool the device's current pool.
pub(crate) fn set_current(device: i32, handle: Handle) -> Result {
    let of = of(device)?;
    // If the pool is destroyed after this check, `destroy` replaces it.
    let mut current = of.current.lock();
    if get(handle)?.device != device {
        return Err(Code::INVALID_VALUE);
    }
    *current = handle;
    Ok(())
}

impl Pool {
    /// Counts bytes that are allocated from the pool.
    pub(crate) fn take(&self, len: usize) -> Result {
        let mut counts = self.counts.lock();
        let used = counts.0[USED].saturating_add(len as u64);
        let most = self.max.checked_next_multiple_of(STEP).unwrap_or(u64::MAX);
        if self.max != 0 && used > most {
            return Err(Code::OUT_OF_MEMORY);
        }
        let reserved = counts.0[RESERVED].max(used.next_multiple_of(STEP));
        for (at, value) in [(USED, used), (RESERVED, reserved)] {
            counts.0[at] = value;
            counts.0[at + 1] = counts.0[at + 1].max(value);
        }
        Ok(())
    }

    /// Counts bytes that are freed, and releases reserved memory beyond the threshold.
    pub(crate) fn give_back(&self, len: usize) {
        let mut counts = self.counts.lock();
        counts.0[USED] = counts.0[USED].saturating_sub(len as u64);
        let keep = counts.0[THRESHOLD];
        counts.trim(keep);
    }

    /// Releases unused memory until `keep` bytes are left.
    pub(crate) fn trim(&self, keep: u64) {
        self.counts.lock().trim(keep);
    }

    /// Returns an attribute by CUDA's number, and whether it is an int.
    pub(crate) fn attribute(&self, number: u32) -> Result<(u64, bool)> {
        let counts = self.counts.lock();
        Ok(match number {
            1..=8 => (counts.0[number as usize], number <= 3),
            _ => return Err(Code::INVALID_VALUE),
        })
    }

    /// Sets an attribute. `read` returns its value, given whether it is an int. The high-water marks can only be reset to 0.
    pub(crate) fn set_attribute(&self, number: u32, read: impl Fn(bool) -> Result<u64>) -> Result {
        let value = read(matches!(number, 1..=3))?;
        let mut counts = self.counts.lock();
        let value = match number {
            1..=3 => u64::from(value as i32 != 0),
            4 => value,
            6 | 8 if value == 0 => counts.0[number as usize - 1],
            _ => return Err(Code::INVALID_VALUE),
        };
        counts.0[number as usize] = value;
        Ok(())
    }

    /// Refuses access rights that a pool cannot have. Its own device always reads and writes, and so do the others here.
    pub(crate) fn check_access(&self, from: Location, flags: i32) -> Result {
        if from.device()? == self.device && flags != READ_WRITE {
            return Err(Code::INVALID_DEVICE);
        }
        if matches!(flags, 0 | 1 | READ_WRITE) { Ok(()) } else { Err(Code::INVALID_VALUE) }
    }
}

impl Counts {
    fn trim(&mut self, keep: u64) {
        let least = self.0[USED].max(keep).checked_next_multiple_of(STEP).unwrap_or(u64::MAX);
        self.0[RESERVED] = self.0[RESERVED].min(least);
    }
}
