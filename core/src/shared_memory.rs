//! Memory that processes share, for the other crates here, and the 64 bytes that name it. Every version may change this interface.

pub use crate::os::{FileName, SharedFile};

use crate::os::random;
use std::sync::OnceLock;

/// The memory that 64 bytes name. The bytes may be forged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SharedName {
    /// The number of the process that exported it, such as its [`me`].
    pub exporter: u64,
    /// The file of the memory.
    pub file: FileName,
    /// The length of the memory, or a place in it.
    pub about: u64,
    /// Two words of the exporter's.
    pub words: [u64; 2],
}

/// Returns the number of this process among all that share memory: random, and never 0.
pub fn me() -> u64 {
    static ME: OnceLock<u64> = OnceLock::new();
    *ME.get_or_init(|| (random() >> 2) | 1)
}

impl SharedName {
    /// Returns the 64 bytes, with a number that tells one kind of them from others.
    pub fn to_bytes(self, magic: u64) -> [u8; 64] {
        let FileName { process, descriptor, inode } = self.file;
        let place = u64::from(process) << 32 | u64::from(descriptor);
        let named = [magic, self.exporter, inode, place, self.about, self.words[0], self.words[1]];
        let mut bytes = [0; 64];
        let all = named.into_iter().chain([checksum(&named)]);
        bytes.chunks_exact_mut(8).zip(all).for_each(|(place, word)| place.copy_from_slice(&word.to_ne_bytes()));
        bytes
    }

    /// Reads 64 bytes; `None` for bytes that [`SharedName::to_bytes`] never made.
    pub fn from_bytes(bytes: &[u8; 64], magic: u64) -> Option<SharedName> {
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_ne_bytes(bytes.try_into().ok()?);
        }
        let [found, exporter, inode, place, about, first, second, sum] = words;
        let file = FileName { process: (place >> 32) as u32, descriptor: place as u32, inode };
        let genuine = found == magic && sum == checksum(&words[..7]);
        genuine.then_some(SharedName { exporter, file, about, words: [first, second] })
    }
}

/// Against accidents: a forger can compute it too.
fn checksum(words: &[u64]) -> u64 {
    let mix = |sum: u64, word: &u64| (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    words.iter().fold(0x6765_7674, mix)
}

#[cfg(all(test, not(loom)))]
#[path = "shared_memory_tests.rs"]
mod tests;
