//! Memory copies and sets.

use crate::block;
use crate::code::{Code, Result};

/// A region of memory in rows and slices.
#[derive(Clone, Copy)]
pub(crate) struct Region {
    pub(crate) address: usize,
    /// Bytes from one row to the next.
    pub(crate) pitch: usize,
    /// Bytes from one slice to the next.
    pub(crate) slice: usize,
}

/// The source of a transfer.
#[derive(Clone, Copy)]
pub(crate) enum Source {
    /// Other memory.
    Memory(Region),
    /// A value of 1, 2 or 4 bytes, repeated.
    Value(u32, usize),
}

/// Which end of a transfer must be a listed block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The program's memory, listed or not. A listed block must contain all of the region.
    Host,
    /// A listed block.
    Device,
    /// Decided by the address. A listed block must contain all of the region.
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
    /// The kinds of its destination and source, as the program named them.
    pub(crate) sides: (Side, Side),
}

impl Region {
    /// Rows in one slice.
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

    /// A copy within one row.
    pub(crate) fn line(to: usize, from: usize, width: usize) -> Transfer {
        Transfer::new(Region::rows(to, 0), Source::Memory(Region::rows(from, 0)), width, 1, 1)
    }

    /// The number of bytes from the first to the last one touched in a region; `None` if it overflows.
    fn span(&self, region: Region) -> Option<usize> {
        if self.is_empty() {
            return Some(0);
        }
        let slices = (self.depth - 1).checked_mul(region.slice)?;
        let rows = (self.height - 1).checked_mul(region.pitch)?;
        slices.checked_add(rows)?.checked_add(self.width)
    }

    /// Refuses overlapping rows or slices. Their number would have no limit.
    fn check_shape(&self, region: Region) -> Result {
        let Region { pitch, slice, .. } = region;
        let rows = self.height <= 1 || pitch >= self.width;
        let area = pitch.checked_mul(self.height.saturating_sub(1)).and_then(|rows| rows.checked_add(self.width));
        let slices = self.depth <= 1 || area.is_some_and(|area| slice >= area);
        if self.is_empty() || rows && slices { Ok(()) } else { Err(Code::INVALID_VALUE) }
    }

    /// Returns the transfer with the given kinds of destination and source.
    pub(crate) fn between(self, to: Side, from: Side) -> Transfer {
        Transfer { sides: (to, from), ..self }
    }

    /// Returns the transfer. Refuses one that exceeds a block at either end.
    pub(crate) fn checked(self) -> Result<Transfer> {
        self.check().map(|()| self)
    }

    /// Refuses a transfer that exceeds a block at either end, according to the current list.
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

    /// Returns whether another transfer has device memory at the same ends.
    pub(crate) fn has_ends_of(&self, other: &Transfer) -> bool {
        let is_device = |address: usize| block::find(address).is_some_and(|block| block.is_device());
        let ends = |of: &Transfer| match of.from {
            Source::Memory(from) => (is_device(of.to.address), is_device(from.address)),
            Source::Value(..) => (is_device(of.to.address), false),
        };
        ends(self) == ends(other)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    /// Returns the number of bytes moved.
    pub(crate) fn len(&self) -> usize {
        self.width.saturating_mul(self.height).saturating_mul(self.depth)
    }

    /// Returns whether it reads pageable memory.
    pub(crate) fn reads_pageable(&self) -> bool {
        matches!(self.from, Source::Memory(region) if block::find(region.address).is_none())
    }

    /// Returns whether it writes pageable memory.
    pub(crate) fn writes_pageable(&self) -> bool {
        block::find(self.to.address).is_none()
    }

    /// Copies the source into a buffer and makes that the source. Returns `None` if memory is short.
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

    /// Moves the bytes of a checked transfer.
    pub(crate) fn run(&self) {
        if self.is_empty() {
            return;
        }
        for slice in 0..self.depth {
            for row in 0..self.height {
                let to = self.to.row(slice, row) as *mut u8;
                match self.from {
                    Source::Memory(from) => {
                        let from = from.row(slice, row) as *const u8;
                        // SAFETY: `check` verified that listed blocks contain the bytes. For unlisted memory, the caller of the copy
                        // promises it.
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
