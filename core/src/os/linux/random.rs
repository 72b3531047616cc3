//! Random bytes.

/// Fills the bytes with what nobody can guess; false where the kernel has none yet.
pub(crate) fn random_bytes(bytes: &mut [u8]) -> bool {
    // SAFETY: writes at most those bytes.
    let got = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), libc::GRND_NONBLOCK) };
    usize::try_from(got) == Ok(bytes.len())
}
