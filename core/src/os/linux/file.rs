//! Files.

use std::fs::{File, OpenOptions};
use std::io::{Error, Result};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The number of an error that has none.
pub(crate) const IO_ERROR: i32 = libc::EIO;

/// Lets opening a pipe not wait for whoever reads it.
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
    // SAFETY: the call has just made the descriptor, which nobody else knows.
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
