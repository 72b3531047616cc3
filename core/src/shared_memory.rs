//! Memory that processes share, for gevt's own crates. Not a part of gevt's interface: it may change with every version.

use crate::os::{FileName, ProcessId, SharedFile};
use std::io::{Error, Result};
use std::os::fd::RawFd;

const MAGIC: u64 = u64::from_ne_bytes(*b"gevtMEM\x01");

/// Memory that other processes can open. It goes with the last process that has it open or mapped.
pub struct SharedMemory {
    file: SharedFile,
    bytes: u64,
}

/// What the 64 bytes name that [`SharedMemory::export`] made. All of it may have been made up by anybody.
pub struct ExportedMemory {
    exporter: ProcessId,
    file: FileName,
    bytes: u64,
    /// Words of the exporter's.
    pub words: [u64; 2],
}

impl SharedMemory {
    /// Makes memory of that length, all zeros.
    pub fn create(bytes: u64) -> Result<SharedMemory> {
        Ok(SharedMemory { file: SharedFile::create(bytes)?, bytes })
    }

    /// Returns its file, for mapping it.
    pub fn descriptor(&self) -> RawFd {
        self.file.name().descriptor.cast_signed()
    }

    /// Returns 64 bytes by which another process opens the memory, with two words for it.
    pub fn export(&self, words: [u64; 2]) -> Result<[u8; 64]> {
        let FileName { descriptor, inode } = self.file.name();
        let exporter = ProcessId::me().map_err(Error::other)?;
        let named = [MAGIC, exporter.0, inode, descriptor.into(), self.bytes, words[0], words[1]];
        let mut bytes = [0; 64];
        let all = named.into_iter().chain([checksum(&named)]);
        bytes.chunks_exact_mut(8).zip(all).for_each(|(place, word)| place.copy_from_slice(&word.to_ne_bytes()));
        Ok(bytes)
    }
}

impl ExportedMemory {
    /// Returns what the bytes name; `None` for bytes that no export made.
    pub fn from_bytes(bytes: &[u8; 64]) -> Option<ExportedMemory> {
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_ne_bytes(bytes.try_into().ok()?);
        }
        let [magic, exporter, inode, descriptor, bytes, first, second, sum] = words;
        let genuine = magic == MAGIC && sum == checksum(&words[..7]);
        genuine.then_some(ExportedMemory {
            exporter: ProcessId(exporter),
            file: FileName { descriptor: u32::try_from(descriptor).ok()?, inode },
            bytes,
            words: [first, second],
        })
    }

    /// Returns whether this process exported it.
    pub fn is_own(&self) -> bool {
        ProcessId::me().is_ok_and(|me| me == self.exporter)
    }

    /// Returns its length.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Opens it, if its exporter is there and still has it.
    pub fn open(&self) -> Result<SharedMemory> {
        Ok(SharedMemory { file: SharedFile::open(self.exporter, self.file, self.bytes)?, bytes: self.bytes })
    }
}

/// Against accidents: whoever wants to forge a handle can compute it too.
fn checksum(words: &[u64]) -> u64 {
    let mix = |sum: u64, word: &u64| (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31);
    words.iter().fold(0x6D65_6D00, mix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_exported_is_opened_and_changed_bytes_are_refused() {
        let memory = SharedMemory::create(8192).expect("there is memory");
        let bytes = memory.export([5, 7]).expect("the process has a number");
        let found = ExportedMemory::from_bytes(&bytes).expect("an export made them");
        assert!(found.is_own() && found.bytes() == 8192 && found.words == [5, 7]);
        assert!(found.open().is_ok());
        for bit in 0..512 {
            let mut changed = bytes;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(ExportedMemory::from_bytes(&changed).is_none(), "bit {bit}");
        }
        drop(memory);
        assert!(found.open().is_err());
    }
}
