//! Opening files.

use std::fs::OpenOptions;
use std::io::{Error, Result};
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
