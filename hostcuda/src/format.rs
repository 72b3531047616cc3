//! Formats of array elements.

use crate::code::{Code, Result};

/// One, two or four channels of one kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    /// CUarray_format.
    pub(crate) kind: u32,
    pub(crate) channels: u32,
}

/// cudaChannelFormatDesc: the bits of each channel, and the kind.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Channels {
    pub(crate) bits: [i32; 4],
    pub(crate) kind: i32,
}

const SIGNED: i32 = 0;
const UNSIGNED: i32 = 1;
const FLOAT: i32 = 2;

/// CUarray_format and its runtime equivalent: the bits of a channel, and the kind.
const KINDS: [(u32, i32, i32); 8] = [
    (0x01, 8, UNSIGNED),
    (0x02, 16, UNSIGNED),
    (0x03, 32, UNSIGNED),
    (0x08, 8, SIGNED),
    (0x09, 16, SIGNED),
    (0x0A, 32, SIGNED),
    (0x10, 16, FLOAT),
    (0x20, 32, FLOAT),
];

impl Format {
    pub(crate) fn new(kind: u32, channels: u32) -> Result<Format> {
        let known = KINDS.iter().any(|(known, ..)| *known == kind) && matches!(channels, 1 | 2 | 4);
        if known { Ok(Format { kind, channels }) } else { Err(Code::INVALID_VALUE) }
    }

    fn row(self) -> (i32, i32) {
        KINDS.iter().find(|(kind, ..)| *kind == self.kind).map_or((8, UNSIGNED), |(_, bits, kind)| (*bits, *kind))
    }

    /// Bytes of an element.
    pub(crate) fn bytes(self) -> usize {
        (self.row().0 as u32 / 8 * self.channels) as usize
    }
}

impl Channels {
    /// Returns the format. All channels must have the same number of bits, without gaps.
    pub(crate) fn format(&self) -> Result<Format> {
        let count = self.bits.iter().take_while(|bits| **bits != 0).count();
        let even = self.bits.iter().enumerate().all(|(at, bits)| *bits == if at < count { self.bits[0] } else { 0 });
        let found = KINDS.iter().find(|(_, bits, kind)| *bits == self.bits[0] && *kind == self.kind);
        let format = found.filter(|_| even).map(|(kind, ..)| Format::new(*kind, count as u32));
        format.and_then(Result::ok).ok_or(Code::INVALID_CHANNEL_DESCRIPTOR)
    }

    pub(crate) fn of(format: Format) -> Channels {
        let (width, kind) = format.row();
        let mut bits = [0; 4];
        bits.iter_mut().take(format.channels as usize).for_each(|bits| *bits = width);
        Channels { bits, kind }
    }
}
