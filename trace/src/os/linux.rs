//! Linux.

use std::ffi::{CStr, OsStr, OsString};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Error, Result};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The number of an error that has none.
pub(crate) const IO_ERROR: i32 = libc::EIO;
/// The number of the error that another trace is being written to the file.
pub(crate) const LOCKED: i32 = libc::EWOULDBLOCK;

/// The name of the monotonic clock in Chrome's trace format.
pub(crate) const CLOCK_DOMAIN: &str = "LINUX_CLOCK_MONOTONIC";

/// Returns the path that a C string names.
pub(crate) fn path(name: &CStr) -> Result<&Path> {
    Ok(Path::new(OsStr::from_bytes(name.to_bytes())))
}

/// Opens or creates a file for writing. A pipe does not wait for its reader.
pub(crate) fn open(path: &Path) -> Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).custom_flags(libc::O_NONBLOCK).open(path)
}

/// Locks the file for this description of it, without waiting. A file system without locks does without.
pub(crate) fn lock(file: &File) -> Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Error::from_raw_os_error(LOCKED)),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Returns the nanoseconds of the clock that also counts while the machine is suspended.
pub(crate) fn boot_time() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for a write.
    unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Returns a variable of the environment, unless the process has more rights than its user.
pub(crate) fn trusted_variable(name: &str) -> Option<OsString> {
    // SAFETY: takes no pointer.
    if unsafe { libc::getauxval(libc::AT_SECURE) } == 0 { std::env::var_os(name) } else { None }
}

/// Returns the calling thread's number. Older C libraries have no gettid.
pub(crate) fn number_of_thread() -> u32 {
    // SAFETY: takes no pointer.
    unsafe { libc::syscall(libc::SYS_gettid) as u32 }
}

/// Returns the name of the calling thread.
pub(crate) fn name_of_this_thread() -> String {
    let mut bytes = [0u8; 17];
    // SAFETY: the kernel writes 16 bytes at the most, a zero at their end included.
    unsafe { libc::prctl(libc::PR_GET_NAME, bytes.as_mut_ptr()) };
    CStr::from_bytes_until_nul(&bytes).unwrap_or_default().to_string_lossy().into_owned()
}
