//! Copies and sets of memory.

use crate::block;
use crate::code::{Code, Result};
use crate::ipc_memory::IN_USE;

/// Bytes in memory, in rows and slices.
#[derive(Clone, Copy)]
pub(crate) struct Region {
    pub(crate) address: usize,
    /// Bytes from one row to the next.
    pub(crate) pitch: usize,
    /// Bytes from one slice to the next.
    pub(crate) slice: usize,
}

/// Where a transfer takes its bytes from.
#[derive(Clone, Copy)]
pub(crate) enum Source {
    /// Other memory.
    Memory(Region),
    /// A value of 1, 2 or 4 bytes, over and over.
    Value(u32, usize),
}

/// Which end of a transfer has to be a block of the list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Memory of the program's. Listed memory must hold all of the transfer.
    Host,
    /// Listed memory.
    Device,
    /// Whichever it is: listed memory must hold all of the transfer.
    Any,
}

/// A copy or a set of `depth` slices of `height` rows of `width` bytes.
#[derive(Clone)]
pub(crate) struct Transfer {
    pub(crate) to: Region,
    pub(crate) from: Source,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
    /// What the program says of its two ends.
    pub(crate) sides: (Side, Side),
}

impl Region {
    /// Bytes that stand in one row.
    pub(crate) fn line(address: usize) -> Region {
        Region::rows(address, 0)
    }

    /// Bytes in one slice.
    pub(crate) fn rows(address: usize, pitch: usize) -> Region {
        Region { address, pitch, slice: 0 }
    }

    fn row(self, slice: usize, row: usize) -> usize {
        self.address + slice * self.slice + row * self.pitch
    }

    fn check(self, span: Option<usize>, side: Side) -> Result {
        let span = span.ok_or(Code::INVALID_VALUE)?;
        if span == 0 {
            return Ok(());
        }
        match block::room(self.address) {
            Some(room) if span <= room => Ok(()),
            None if side != Side::Device && self.address != 0 => Ok(()),
            _ => Err(Code::INVALID_VALUE),
        }
    }
}

impl Transfer {
    pub(crate) fn new(to: Region, from: Source, width: usize, height: usize, depth: usize) -> Transfer {
        Transfer { to, from, width, height, depth, sides: (Side::Any, Side::Any) }
    }

    /// A copy of bytes in a row.
    pub(crate) fn line(to: usize, from: usize, width: usize) -> Transfer {
        Transfer::new(Region::line(to), Source::Memory(Region::line(from)), width, 1, 1)
    }

    /// Bytes from the first to the last that the transfer touches at one of its ends; `None` if they are too many.
    fn span(&self, region: Region) -> Option<usize> {
        if self.is_empty() {
            return Some(0);
        }
        let slices = (self.depth - 1).checked_mul(region.slice)?;
        let rows = (self.height - 1).checked_mul(region.pitch)?;
        slices.checked_add(rows)?.checked_add(self.width)
    }

    /// Refuses rows or slices that lie over each other, of which there could be any number.
    fn check_shape(&self, region: Region) -> Result {
        let Region { pitch, slice, .. } = region;
        let rows = self.height <= 1 || pitch >= self.width;
        let area = pitch.checked_mul(self.height.saturating_sub(1)).and_then(|rows| rows.checked_add(self.width));
        let slices = self.depth <= 1 || area.is_some_and(|area| slice >= area);
        if self.is_empty() || rows && slices { Ok(()) } else { Err(Code::INVALID_VALUE) }
    }

    /// Returns the transfer with what the program says of its ends. One that leaves the block at one of them is refused.
    pub(crate) fn between(self, to: Side, from: Side) -> Result<Transfer> {
        let transfer = Transfer { sides: (to, from), ..self };
        transfer.check().map(|()| transfer)
    }

    /// Refuses a transfer that leaves the block at one of its ends, as the blocks are now.
    pub(crate) fn check(&self) -> Result {
        let (to, from) = self.sides;
        self.check_shape(self.to)?;
        self.to.check(self.span(self.to), to)?;
        if let Source::Memory(region) = self.from {
            self.check_shape(region)?;
            region.check(self.span(region), from)?;
        }
        Ok(())
    }

    /// Returns whether another transfer was described with ends of the same kinds.
    pub(crate) fn is_described_as(&self, other: &Transfer) -> bool {
        self.sides == other.sides
    }

    /// Returns whether another transfer has device memory at the same ends.
    pub(crate) fn has_ends_of(&self, other: &Transfer) -> bool {
        let is_device = |address: usize| block::find(address).is_some_and(|block| block.is_device());
        let ends = |of: &Transfer| match of.from {
            Source::Memory(from) => (is_device(of.to.address), is_device(from.address)),
            Source::Value(..) => (is_device(of.to.address), false),
        };
        ends(self) == ends(other)
    }

    /// Returns whether it moves nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    /// Returns how many bytes it moves.
    pub(crate) fn len(&self) -> usize {
        self.width.saturating_mul(self.height).saturating_mul(self.depth)
    }

    /// Returns whether it reads memory of the program's that is not page-locked.
    pub(crate) fn reads_pageable(&self) -> bool {
        matches!(self.from, Source::Memory(region) if block::find(region.address).is_none())
    }

    /// Returns whether it writes memory of the program's that is not page-locked.
    pub(crate) fn writes_pageable(&self) -> bool {
        block::find(self.to.address).is_none()
    }

    /// Copies what it reads, and reads it there from now on; `None` if there is no memory.
    pub(crate) fn stage(&mut self) -> Option<Vec<u8>> {
        let row = self.width;
        let slice = row.checked_mul(self.height)?;
        let mut staged = Vec::new();
        staged.try_reserve_exact(slice.checked_mul(self.depth)?).ok()?;
        staged.resize(slice * self.depth, 0);
        let region = Region { address: staged.as_mut_ptr() as usize, pitch: row, slice };
        Transfer { to: region, ..self.clone() }.run();
        self.from = Source::Memory(region);
        Some(staged)
    }

    /// Moves the bytes. The transfer was checked.
    pub(crate) fn run(&self) {
        if self.is_empty() {
            return;
        }
        let _in_use = IN_USE.read();
        for slice in 0..self.depth {
            for row in 0..self.height {
                let to = self.to.row(slice, row) as *mut u8;
                match self.from {
                    Source::Memory(from) => {
                        let from = from.row(slice, row) as *const u8;
                        // SAFETY: listed blocks were checked to hold the bytes, and the caller of the copy promises that
                        // memory of the program's does.
                        unsafe { std::ptr::copy(from, to, self.width) };
                    }
                    Source::Value(value, size) => fill(to, value, size, self.width),
                }
            }
        }
    }
}

fn fill(to: *mut u8, value: u32, size: usize, width: usize) {
    if size == 1 {
        // SAFETY: as for copies.
        return unsafe { to.write_bytes(value as u8, width) };
    }
    let bytes = value.to_ne_bytes();
    for at in (0..width).step_by(size) {
        // SAFETY: as for copies; the width is a whole number of values, and the value's low bytes come first.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.add(at), size) };
    }
}
