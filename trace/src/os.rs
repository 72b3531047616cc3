//! What a trace needs of the operating system: files, clocks, threads' names.

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

/// A clock that other tools know.
#[derive(Clone, Copy)]
pub(crate) enum SystemClock {
    /// Never goes back, and stands still while the machine sleeps.
    Monotonic,
    /// As the monotonic one, and also counts while the machine is suspended.
    Boottime,
    /// Time since 1970, which may be set.
    Realtime,
}

/// Returns the nanoseconds that the clock shows.
pub(crate) fn read_clock(clock: SystemClock) -> i64 {
    let number = match clock {
        SystemClock::Monotonic => libc::CLOCK_MONOTONIC,
        SystemClock::Boottime => libc::CLOCK_BOOTTIME,
        SystemClock::Realtime => libc::CLOCK_REALTIME,
    };
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for a write. The call cannot fail, as every kernel that Rust's std runs on has these clocks.
    unsafe { libc::clock_gettime(number, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Returns a variable of the environment, unless the process has more rights than whoever set it.
pub(crate) fn trusted_variable(name: &str) -> Option<std::ffi::OsString> {
    // SAFETY: takes no pointer.
    if unsafe { libc::getauxval(libc::AT_SECURE) } == 0 { std::env::var_os(name) } else { None }
}

/// Returns the calling thread's number; `None` if the system does not say.
pub(crate) fn number_of_thread() -> Option<u32> {
    number_in(Path::new("/proc/thread-self"))
}

/// The last number of what the link points to, "PID/task/TID".
fn number_in(link: &Path) -> Option<u32> {
    std::fs::read_link(link).ok()?.file_name()?.to_str()?.parse().ok()
}

/// What a thread of this process is called; empty where it has ended.
pub(crate) fn name_of_thread(number: u32) -> String {
    name_in(&format!("/proc/self/task/{number}/comm"))
}

/// What the calling thread is called.
pub(crate) fn name_of_this_thread() -> String {
    let mut bytes = [0u8; 17];
    // SAFETY: the kernel writes 16 bytes at the most, a zero at their end included.
    unsafe { libc::prctl(libc::PR_GET_NAME, bytes.as_mut_ptr()) };
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(0);
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// What the process is called.
pub(crate) fn name_of_process() -> String {
    name_in("/proc/self/comm")
}

/// A name may be any bytes.
fn name_in(file: &str) -> String {
    let bytes = std::fs::read(file).unwrap_or_default();
    String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_has_the_kernel_s_number_and_none_where_proc_is_hidden() {
        assert!(number_of_thread().is_some_and(|number| number > 0));
        assert_eq!(number_in(Path::new("/nowhere")), None);
    }
}
