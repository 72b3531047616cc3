//! Processes. They share no memory on Windows, so none is asked about.

/// Returns whether the process of that number has ended.
pub(crate) fn has_ended(_: u32) -> bool {
    false
}

/// Returns the user that the process acts for.
pub(crate) fn user() -> u32 {
    0
}

/// Returns whether the error is a lack of memory, descriptors or locks.
pub(crate) fn is_shortage(_: &std::io::Error) -> bool {
    false
}
