//! Processes, by their numbers in /proc.

use std::fs::File;
use std::io::{Error, Read, Result};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

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

/// Returns the letter of a process's or a thread's state, by its folder in /proc.
pub(super) fn state(folder: &str) -> Result<u8> {
    let mut stat = [0; 512];
    let length = File::open(format!("{folder}/stat"))?.read(&mut stat)?;
    // "pid (name) S ...": the name may hold anything, and only numbers follow the state.
    let name_end = stat[..length].iter().rposition(|byte| *byte == b')');
    name_end.and_then(|end| stat.get(end + 2).copied()).ok_or_else(|| Error::from_raw_os_error(libc::EIO))
}

/// Returns whether the process of that number has ended, also before its parent has waited for it. False if the kernel cannot tell: before Linux
/// 5.3, or without a free descriptor. The state of the first thread does not tell, because a process continues after that thread.
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

/// Returns whether the error is a lack of memory, descriptors or locks.
pub(crate) fn is_shortage(error: &Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM | libc::ENOLCK))
}

#[cfg(all(test, not(loom)))]
#[path = "process_tests.rs"]
mod tests;
