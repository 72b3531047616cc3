//! Memory that processes share, for the other crates here, and the 64 bytes that name it. Every version may change this interface.

use crate::os::{Descriptor, FileName, SharedFile, random_bytes};
use once_cell::sync::OnceCell;
use std::io::{Error, Result};

const MAGIC: u64 = u64::from_ne_bytes(*b"gevtMEM\x02");

/// Memory that other processes can open. It goes with the last process that has it open or mapped.
pub struct SharedMemory {
    file: SharedFile,
    bytes: u64,
}

/// The memory that 64 bytes of [`SharedMemory::export`] name. The bytes may be forged.
pub struct ExportedMemory(SharedName);

/// The memory that 64 bytes name. The bytes may be forged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SharedName {
    /// The exporter's [`me`].
    pub(crate) exporter: u64,
    pub(crate) file: FileName,
    /// The length of the memory, or a place in it.
    pub(crate) about: u64,
    pub(crate) words: [u64; 2],
}

/// Returns the number of this process among all that share memory: random, and never 0.
pub(crate) fn me() -> Result<u64> {
    static ME: OnceCell<u64> = OnceCell::new();
    let draw = || {
        let mut bytes = [0; 8];
        let number = random_bytes(&mut bytes).then(|| (u64::from_ne_bytes(bytes) >> 2) | 1);
        number.ok_or_else(|| Error::other("the kernel has no random bytes"))
    };
    ME.get_or_try_init(draw).copied()
}

impl SharedName {
    /// Returns the 64 bytes, with a number that tells one kind of them from others.
    pub(crate) fn to_bytes(self, magic: u64) -> [u8; 64] {
        let FileName { process, descriptor, inode } = self.file;
        let place = u64::from(process) << 32 | u64::from(descriptor);
        let named = [magic, self.exporter, inode, place, self.about, self.words[0], self.words[1]];
        let mut bytes = [0; 64];
        let all = named.into_iter().chain([checksum(&named)]);
        bytes.chunks_exact_mut(8).zip(all).for_each(|(place, word)| place.copy_from_slice(&word.to_ne_bytes()));
        bytes
    }

    /// `None` for bytes that [`SharedName::to_bytes`] never made.
    pub(crate) fn from_bytes(bytes: &[u8; 64], magic: u64) -> Option<SharedName> {
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

impl SharedMemory {
    /// Makes memory of that length, all zeros.
    pub fn create(bytes: u64) -> Result<SharedMemory> {
        Ok(SharedMemory { file: SharedFile::create(bytes)?, bytes })
    }

    /// Returns its file, for mapping it.
    pub fn descriptor(&self) -> Descriptor {
        self.file.descriptor()
    }

    /// Returns 64 bytes by which another process opens the memory, with two words for it.
    pub fn export(&self, words: [u64; 2]) -> Result<[u8; 64]> {
        Ok(SharedName { exporter: me()?, file: self.file.name()?, about: self.bytes, words }.to_bytes(MAGIC))
    }
}

impl ExportedMemory {
    /// Returns what the bytes name; `None` for bytes that no export made.
    pub fn from_bytes(bytes: &[u8; 64]) -> Option<ExportedMemory> {
        SharedName::from_bytes(bytes, MAGIC).map(ExportedMemory)
    }

    /// Returns whether this process exported it.
    pub fn is_own(&self) -> bool {
        me().is_ok_and(|me| me == self.0.exporter)
    }

    /// Returns its length.
    pub fn bytes(&self) -> u64 {
        self.0.about
    }

    /// Returns the words of the exporter.
    pub fn words(&self) -> [u64; 2] {
        self.0.words
    }

    /// Opens it, if its exporter is there and still has it.
    pub fn open(&self) -> Result<SharedMemory> {
        Ok(SharedMemory { file: SharedFile::open(self.0.file, self.bytes())?, bytes: self.bytes() })
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
