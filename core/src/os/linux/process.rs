//! Processes, by their numbers in /proc.

use super::thread::Uncancelled;
use once_cell::sync::OnceCell;
use std::io::{Error, Result};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Returns this process's number in /proc. It is another than its own number if /proc was mounted outside of its namespace.
pub(crate) fn number_in_proc() -> Result<u32> {
    static NUMBER: OnceCell<u32> = OnceCell::new();
    let read = || {
        let _uncancelled = Uncancelled::new();
        let link = std::fs::read_link("/proc/self")?;
        link.to_str().and_then(|number| number.parse().ok()).ok_or(Error::from_raw_os_error(libc::ENOENT))
    };
    NUMBER.get_or_try_init(read).copied()
}

/// Runs `open` on the path of another process's descriptor.
pub(super) fn open_descriptor<T>(process: u32, descriptor: u32, open: impl Fn(&str) -> Result<T>) -> Result<T> {
    let folder = format!("/proc/{process}");
    let error = match open(&format!("{folder}/fd/{descriptor}")) {
        Err(error) if !is_shortage(&error) => error,
        opened => return opened,
    };
    // A first thread that has ended shows no descriptors; the others show them still.
    let tasks = std::fs::read_dir(format!("{folder}/task")).into_iter().flatten().flatten();
    let paths = tasks.map(|task| task.path().join(format!("fd/{descriptor}")));
    paths.filter_map(|path| open(path.to_str()?).ok()).next().ok_or(error)
}

/// Returns whether the process of that number has ended; false if the kernel cannot say (before 5.3).
pub(crate) fn has_ended(process: u32) -> bool {
    // SAFETY: a call without pointers.
    let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) };
    let Some(descriptor) = i32::try_from(descriptor).ok().filter(|descriptor| *descriptor >= 0) else {
        return Error::last_os_error().raw_os_error() == Some(libc::ESRCH);
    };
    // SAFETY: the call has just made the descriptor, and nothing else has it.
    let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
    let mut ended = libc::pollfd { fd: descriptor.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: the pointer is to one entry.
    unsafe { libc::poll(&raw mut ended, 1, 0) == 1 }
}

/// Returns the user that the process acts for.
pub(crate) fn user() -> u32 {
    // SAFETY: takes no pointer.
    unsafe { libc::geteuid() }
}

/// Returns whether the error says that the system cannot do this at all.
pub(crate) fn is_unsupported(error: &Error) -> bool {
    error.raw_os_error() == Some(libc::ENOSYS)
}

/// Returns whether the error is a lack of memory, descriptors or locks.
pub(crate) fn is_shortage(error: &Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM | libc::ENOLCK))
}
