//! The 64 bytes that name an event to another process.

use crate::os::{FileName, ProcessId};
use crate::table::Field;

const MAGIC: [u8; 8] = *b"gevtIPC\x01";

/// Of the word that says where in a process's files an event is.
const DESCRIPTOR: Field = Field::first(32);
const PAGE: Field = DESCRIPTOR.then(32);

/// Where an event is, as the bytes say it. All of it may have been made up by anybody.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Origin {
    /// The process that exported the event.
    pub(super) exporter: ProcessId,
    /// The file of its memory.
    pub(super) file: FileName,
    /// Which page of the file.
    pub(super) page: u32,
    /// The exporter's user.
    pub(super) user: u32,
    /// Stands in the page too.
    pub(super) nonce: [u64; 2],
}

impl Origin {
    pub(super) fn to_bytes(self) -> [u8; 64] {
        let words = [
            u64::from_ne_bytes(MAGIC),
            self.exporter.0,
            self.file.inode,
            PAGE.set(DESCRIPTOR.set(0, u64::from(self.file.descriptor)), u64::from(self.page)),
            u64::from(self.user),
            self.nonce[0],
            self.nonce[1],
        ];
        let mut bytes = [0; 64];
        let all = words.into_iter().chain([checksum(&words)]);
        bytes.chunks_exact_mut(8).zip(all).for_each(|(place, word)| place.copy_from_slice(&word.to_ne_bytes()));
        bytes
    }

    /// `None` for bytes that [`Origin::to_bytes`] never made.
    pub(super) fn from_bytes(bytes: &[u8; 64]) -> Option<Origin> {
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_ne_bytes(bytes.try_into().ok()?);
        }
        let [magic, exporter, inode, place, user, first, second, sum] = words;
        let genuine = magic == u64::from_ne_bytes(MAGIC) && sum == checksum(&words[..7]);
        genuine.then_some(Origin {
            exporter: ProcessId(exporter),
            file: FileName { descriptor: DESCRIPTOR.get(place) as u32, inode },
            page: PAGE.get(place) as u32,
            user: u32::try_from(user).ok()?,
            nonce: [first, second],
        })
    }
}

/// Against accidents: whoever wants to forge a handle can compute it too.
fn checksum(words: &[u64]) -> u64 {
    let mix = |sum: u64, word: &u64| (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    words.iter().fold(0x6765_7674, mix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn example() -> Origin {
        let file = FileName { descriptor: 9, inode: 1 << 40 };
        Origin { exporter: ProcessId(77), file, page: 255, user: 1000, nonce: [3, u64::MAX] }
    }

    #[test]
    fn what_is_written_is_read_and_any_changed_bit_is_seen() {
        let bytes = example().to_bytes();
        assert_eq!(Origin::from_bytes(&bytes), Some(example()));
        for bit in 0..512 {
            let mut changed = bytes;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Origin::from_bytes(&changed), None, "bit {bit}");
        }
        for length in 0..64 {
            let mut cut = bytes;
            cut[length..].fill(0);
            assert_eq!(Origin::from_bytes(&cut), None, "{length} bytes");
        }
    }

    proptest! {
        #[test]
        fn random_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 64)) {
            let mut random = [0; 64];
            random.copy_from_slice(&bytes);
            prop_assert_eq!(Origin::from_bytes(&random), None);
            random[..8].copy_from_slice(&MAGIC);
            prop_assert_eq!(Origin::from_bytes(&random), None);
        }
    }
}
