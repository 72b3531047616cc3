//! Random bytes.

/// Fills the bytes with unpredictable ones; false if the kernel has none yet.
pub(crate) fn random_bytes(bytes: &mut [u8]) -> bool {
    // Asked of the kernel: the C library's function is not in all that gevt runs with, which go back to glibc 2.17.
    // SAFETY: writes at most those bytes.
    let got = unsafe { libc::syscall(libc::SYS_getrandom, bytes.as_mut_ptr(), bytes.len(), libc::GRND_NONBLOCK) };
    usize::try_from(got) == Ok(bytes.len())
}
