//! Opening files.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;

/// The number of an error that has none.
pub(crate) const IO_ERROR: i32 = libc::EIO;

/// Lets opening a pipe not wait for whoever reads it.
pub(crate) fn never_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(libc::O_NONBLOCK)
}
