//! Random bytes.

use windows_sys::Win32::Security::Cryptography::{BCRYPT_USE_SYSTEM_PREFERRED_RNG, BCryptGenRandom};

/// Fills the buffer with unpredictable bytes; false if the system has none.
pub(crate) fn random_bytes(bytes: &mut [u8]) -> bool {
    let Ok(length) = u32::try_from(bytes.len()) else { return false };
    // SAFETY: writes that many bytes. With this flag no algorithm is named.
    unsafe { BCryptGenRandom(std::ptr::null_mut(), bytes.as_mut_ptr(), length, BCRYPT_USE_SYSTEM_PREFERRED_RNG) == 0 }
}
