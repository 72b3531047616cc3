//! Random numbers that nobody can guess, fetched many at a time.

use crate::error::{Error, Result};
use crate::os::random_bytes;
use crate::status::Status;
use parking_lot::Mutex;

const AT_ONCE: usize = 64;

static LEFT: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// Two numbers that were not given out before; the first is not zero.
pub(super) fn pair() -> Result<[u64; 2]> {
    let mut left = LEFT.lock();
    if left.len() < 2 {
        let mut bytes = [0u8; AT_ONCE * 8];
        if !random_bytes(&mut bytes) {
            return Err(Error::Backend(Status::UNKNOWN));
        }
        left.extend(bytes.as_chunks().0.iter().map(|chunk| u64::from_ne_bytes(*chunk)));
    }
    let mut next = || left.pop().unwrap_or_default();
    Ok([next() | 1, next()])
}
