//! Linux.

use std::ffi::{CStr, OsStr};
use std::fs::{File, OpenOptions};
use std::io::{Error, Result};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// The number of an error that has none.
pub(crate) const IO_ERROR: i32 = libc::EIO;

/// The name of the monotonic clock in Chrome's trace format.
pub(crate) const CLOCK_DOMAIN: &str = "LINUX_CLOCK_MONOTONIC";

/// Returns the path that a C string names.
pub(crate) fn path(name: &CStr) -> Result<&Path> {
    Ok(Path::new(OsStr::from_bytes(name.to_bytes())))
}

/// Writes all of the bytes at a place of the file.
pub(crate) fn write_all_at(file: &File, bytes: &[u8], at: u64) -> Result<()> {
    file.write_all_at(bytes, at)
}

/// Makes opening a pipe not wait for its reader.
pub(crate) fn never_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(libc::O_NONBLOCK)
}

/// Refuses a path that no file can have, as opening one does, and before anything needs memory for it.
pub(crate) fn check_path(path: &Path) -> Result<()> {
    let fits = path.as_os_str().len() < libc::PATH_MAX as usize;
    if fits { Ok(()) } else { Err(Error::from_raw_os_error(libc::ENAMETOOLONG)) }
}

/// Returns whether the error says that another description of the file has it locked.
pub(crate) fn is_locked(error: &Error) -> bool {
    error.raw_os_error() == Some(libc::EWOULDBLOCK)
}

/// Locks the file for this description of it, without waiting. A file system without locks does without.
pub(crate) fn lock_file(file: &File) -> Result<()> {
    // SAFETY: the descriptor is open, and the call takes no pointer.
    if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0 {
        return Ok(());
    }
    let error = Error::last_os_error();
    if is_locked(&error) { Err(error) } else { Ok(()) }
}

/// Moves the file to a descriptor beyond those of the standard streams, which a program may have closed.
pub(crate) fn beyond_standard(file: File) -> Result<File> {
    if file.as_raw_fd() > libc::STDERR_FILENO {
        return Ok(file);
    }
    // SAFETY: the descriptor is open, and the call takes no pointer.
    let moved = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, libc::STDERR_FILENO + 1) };
    if moved < 0 {
        return Err(Error::last_os_error());
    }
    // SAFETY: the call has just made the descriptor, which no other code knows.
    Ok(unsafe { File::from_raw_fd(moved) })
}

/// Returns the number of the file's descriptor.
pub(crate) fn number_of_file(file: &File) -> i32 {
    file.as_raw_fd()
}

/// Closes a descriptor.
///
/// # Safety
/// No other code of the process may use the descriptor, and nothing else may close it.
pub(crate) unsafe fn close_number(number: i32) {
    // SAFETY: takes no pointer, and this function requires that the descriptor is the caller's.
    unsafe { libc::close(number) };
}

/// Returns the nanoseconds that the monotonic clock shows, those of the clock that also counts while the machine is suspended, and
/// those since 1970.
pub(crate) fn read_clocks() -> [i64; 3] {
    [libc::CLOCK_MONOTONIC, libc::CLOCK_BOOTTIME, libc::CLOCK_REALTIME].map(read_clock)
}

fn read_clock(number: libc::clockid_t) -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for a write.
    unsafe { libc::clock_gettime(number, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Returns a variable of the environment, unless the process has more rights than its user.
pub(crate) fn trusted_variable(name: &str) -> Option<std::ffi::OsString> {
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
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(0);
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// Returns the name of the process, which may be any bytes.
pub(crate) fn name_of_process() -> String {
    let bytes = std::fs::read("/proc/self/comm").unwrap_or_default();
    String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned()
}
