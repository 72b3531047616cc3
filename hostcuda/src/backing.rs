//! Memory without an address: files that live in memory alone, which addresses are mapped to and other processes may open.

use crate::anonymous_file::AnonymousFile;
use crate::code::{Code, Result};
use crate::context;
use crate::device;
use crate::handle::Handle;
use crate::numbered::Numbered;
use crate::pool::{Location, ON_DEVICE, PINNED};
use crate::primary;
use std::os::fd::RawFd;
use std::sync::Arc;

/// CUmemAllocationProp.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Props {
    kind: i32,
    handle_types: i32,
    location: Location,
    security: usize,
    flags: u64,
}

/// Memory, for as long as a handle or an address needs it.
pub(crate) struct Backing {
    file: AnonymousFile,
    pub(crate) len: usize,
    pub(crate) props: Props,
}

/// Memory, and how often its handle was given out.
#[derive(Clone)]
struct Held(Arc<Backing>, usize);

static HELD: Numbered<Held> = Numbered::new();

/// Memory and addresses come in multiples of this many bytes.
pub(crate) const GRANULARITY: usize = 2 << 20;
/// Whoever maps such a file relies on its length.
const SEALS: i32 = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW;
/// The form of a handle for other processes: a file descriptor.
const DESCRIPTOR: i32 = 1;

impl Props {
    /// Returns the device; for memory of the host's that of the current context, or that which the thread would get.
    pub(crate) fn device(&self) -> Result<i32> {
        if self.kind != PINNED || self.handle_types & !DESCRIPTOR != 0 || self.security != 0 {
            return Err(Code::INVALID_VALUE);
        }
        match self.location.device()? {
            Some(device) => Ok(device),
            None => Ok(primary::device_in_use()),
        }
    }
}

/// Makes memory.
pub(crate) fn create(len: usize, props: Props) -> Result<Handle> {
    props.device()?;
    if len == 0 || !len.is_multiple_of(GRANULARITY) {
        return Err(Code::INVALID_VALUE);
    }
    if len > device::total_memory() {
        return Err(Code::OUT_OF_MEMORY);
    }
    let file = AnonymousFile::create(&[], len, SEALS).ok_or(Code::OUT_OF_MEMORY)?;
    Ok(HELD.insert(Held(Arc::new(Backing { file, len, props }), 1)))
}

/// Returns the memory of a handle.
pub(crate) fn get(handle: Handle) -> Result<Arc<Backing>> {
    HELD.get(handle).map(|held| held.0).ok_or(Code::INVALID_VALUE)
}

/// Gives a handle out once more: the one that there is, or a new one.
pub(crate) fn retain(backing: &Arc<Backing>) -> Handle {
    let known = HELD.find(|held| Arc::ptr_eq(&held.0, backing));
    let again = known.and_then(|(handle, _)| HELD.with(handle, |held| held.1 += 1).map(|()| handle));
    again.unwrap_or_else(|| HELD.insert(Held(Arc::clone(backing), 1)))
}

/// Gives a handle back. The memory stays while addresses are mapped to it.
pub(crate) fn release(handle: Handle) -> Result {
    let was_there = HELD.remove_if(handle, |held| {
        held.1 -= 1;
        held.1 == 0
    });
    if was_there { Ok(()) } else { Err(Code::INVALID_VALUE) }
}

/// Returns a descriptor for another process.
pub(crate) fn export(handle: Handle, form: i32) -> Result<RawFd> {
    let backing = get(handle)?;
    if form != DESCRIPTOR || backing.props.handle_types & DESCRIPTOR == 0 {
        return Err(Code::INVALID_VALUE);
    }
    backing.file.export()
}

/// Opens the memory of a descriptor, which stays the caller's. Only a file of [`create`]'s is taken: its length cannot change.
pub(crate) fn import(file: RawFd, form: i32) -> Result<Handle> {
    if form != DESCRIPTOR {
        return Err(Code::INVALID_VALUE);
    }
    let file = AnonymousFile::open(file, SEALS)?;
    let (len, _) = file.about().ok_or(Code::UNKNOWN)?;
    if len == 0 || !len.is_multiple_of(GRANULARITY) {
        return Err(Code::UNKNOWN);
    }
    let location = Location { kind: ON_DEVICE, id: context::current()?.device };
    let props = Props { kind: PINNED, handle_types: DESCRIPTOR, location, security: 0, flags: 0 };
    Ok(HELD.insert(Held(Arc::new(Backing { file, len, props }), 1)))
}

impl Backing {
    /// Maps the memory at an address, in the place of what is there.
    pub(crate) fn map_at(&self, start: usize) -> Result {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        // SAFETY: the caller has reserved the addresses, and the file has that many bytes.
        let at = unsafe { libc::mmap(start as *mut libc::c_void, self.len, access, flags, self.file.descriptor(), 0) };
        if at == libc::MAP_FAILED { Err(Code::OUT_OF_MEMORY) } else { Ok(()) }
    }
}
