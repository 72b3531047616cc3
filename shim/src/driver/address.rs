//! What is at an address.

use std::ffi::c_void;
use std::mem::MaybeUninit;

/// The lowest addresses are never mapped. This catches NULL with an offset.
const LOWEST: usize = 0x1_0000;

/// Returns whether the driver can have issued this pointer: no small number, none that is not aligned, and none where nothing is
/// mapped. Asks the kernel.
pub(crate) fn may_be_object(address: usize) -> bool {
    looks_like_one(address) && is_mapped(address)
}

/// As far as the number itself says.
fn looks_like_one(address: usize) -> bool {
    address >= LOWEST && address.is_multiple_of(align_of::<usize>())
}

/// Returns what the loader knows of an address in a loaded object.
pub(super) fn in_object(address: *const c_void) -> Option<libc::Dl_info> {
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: `info` can be written, and the address is only compared. If it is found, the loader has written `info`.
    unsafe { (libc::dladdr(address, info.as_mut_ptr()) != 0).then(|| info.assume_init()) }
}

fn is_mapped(address: usize) -> bool {
    let page = address & !(page_size() - 1);
    let mut resident = 0_u8;
    // SAFETY: the kernel reads no memory at `page`, and writes one byte, for the one page asked about.
    let code = unsafe { libc::mincore(page as *mut c_void, 1, &raw mut resident) };
    // If the kernel does not say, the driver has to.
    code == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::ENOMEM)
}

fn page_size() -> usize {
    // SAFETY: it has no preconditions.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;
