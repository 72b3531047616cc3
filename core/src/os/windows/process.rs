//! Processes, and what errors mean.

use std::io::{Error, ErrorKind, Result};
use windows_sys::Win32::Foundation::{
    ERROR_COMMITMENT_LIMIT, ERROR_NO_SYSTEM_RESOURCES, ERROR_NOT_ENOUGH_MEMORY, ERROR_OUTOFMEMORY,
};

/// Only asked for processes that share memory, and on Windows none do.
pub(crate) fn has_ended(_: u32) -> bool {
    false
}

/// As for [`has_ended`].
pub(crate) fn user() -> u32 {
    0
}

/// Returns whether the error says that the system cannot do this at all.
pub(crate) fn is_unsupported(error: &Error) -> bool {
    error.kind() == ErrorKind::Unsupported
}

/// Returns whether the error says that there is no memory.
pub(crate) fn is_shortage(error: &Error) -> bool {
    const SHORTAGES: [u32; 4] =
        [ERROR_NOT_ENOUGH_MEMORY, ERROR_OUTOFMEMORY, ERROR_COMMITMENT_LIMIT, ERROR_NO_SYSTEM_RESOURCES];
    error.raw_os_error().is_some_and(|code| SHORTAGES.contains(&code.cast_unsigned()))
}

/// As for [`has_ended`].
pub(crate) fn number_in_proc() -> Result<u32> {
    Err(ErrorKind::Unsupported.into())
}
