//! Random numbers that nobody can guess, fetched many at a time.

use crate::error::{Error, Result};
use crate::status::Status;
use parking_lot::Mutex;

const AT_ONCE: usize = 64;

static LEFT: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// Two numbers that were not given out before; the first is not zero.
pub(super) fn pair() -> Result<[u64; 2]> {
    let mut left = LEFT.lock();
    if left.len() < 2 {
        let mut bytes = [0u8; AT_ONCE * 8];
        // SAFETY: writes at most those bytes.
        let got = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), libc::GRND_NONBLOCK) };
        if usize::try_from(got) != Ok(bytes.len()) {
            return Err(Error::Backend(Status::UNKNOWN));
        }
        left.extend(bytes.chunks_exact(8).map(|chunk| chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte))));
    }
    let mut next = || left.pop().unwrap_or_default();
    Ok([next() | 1, next()])
}
