//! Copies to and from arrays, in rows.

use super::copy::{finish, start};
use crate::array;
use crate::boundary::{StreamArg, exports};
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::transfer::{Region, Source, Transfer};

/// A part of an array: the array, and the offset in bytes and rows.
type Part = (Handle, usize, usize);

fn region(part: Part, width: usize, height: usize) -> Result<Region> {
    array::get(part.0)?.part([part.1, part.2, 0], [width, height, usize::from(width > 0 && height > 0)])
}

fn transfer(to: Region, from: Region, width: usize, height: usize) -> Result<Transfer> {
    if height > 1 && (to.pitch < width || from.pitch < width) {
        return Err(Code::INVALID_PITCH_VALUE);
    }
    Ok(Transfer::new(to, Source::Memory(from), width, height, 1))
}

fn into(to: Part, from: (usize, usize), width: usize, height: usize) -> Result<Transfer> {
    transfer(region(to, width, height)?, Region::rows(from.0, from.1), width, height)
}

fn out_of(to: (usize, usize), from: Part, width: usize, height: usize) -> Result<Transfer> {
    transfer(Region::rows(to.0, to.1), region(from, width, height)?, width, height)
}

fn between(to: Part, from: Part, width: usize, height: usize) -> Result<Transfer> {
    transfer(region(to, width, height)?, region(from, width, height)?, width, height)
}

/// A copy of bytes that continues from row to row.
fn line(to: Region, from: Region, len: usize) -> Transfer {
    Transfer::line(to.address, from.address, len)
}

fn line_of(part: Part, len: usize) -> Result<Region> {
    array::get(part.0)?.line(part.1, part.2, len)
}

/// Refuses a copy kind that is wrong for the array's side.
fn check(kind: u32, kinds: &[u32]) -> Result {
    if kinds.contains(&kind) { Ok(()) } else { Err(Code::INVALID_MEMCPY_DIRECTION) }
}

/// The copy kinds for host to device, device to device, and default.
const INTO: &[u32] = &[1, 3, 4];
const OUT_OF: &[u32] = &[2, 3, 4];
const WITHIN: &[u32] = &[3, 4];

exports! { inside;
    fn cudaMemcpy2DToArray | cudaMemcpy2DToArray_ptds(to: Handle, x: usize, y: usize, from: usize, pitch: usize, width: usize, height: usize, kind: u32) at stream {
        check(kind, INTO)?;
        finish(stream, into((to, x, y), (from, pitch), width, height)?, kind)
    }
    fn cudaMemcpy2DToArrayAsync | cudaMemcpy2DToArrayAsync_ptsz(to: Handle, x: usize, y: usize, from: usize, pitch: usize, width: usize, height: usize, kind: u32, stream: StreamArg) on stream {
        check(kind, INTO)?;
        start(stream, into((to, x, y), (from, pitch), width, height)?, kind)
    }
    fn cudaMemcpy2DFromArray | cudaMemcpy2DFromArray_ptds(to: usize, pitch: usize, from: Handle, x: usize, y: usize, width: usize, height: usize, kind: u32) at stream {
        check(kind, OUT_OF)?;
        finish(stream, out_of((to, pitch), (from, x, y), width, height)?, kind)
    }
    fn cudaMemcpy2DFromArrayAsync | cudaMemcpy2DFromArrayAsync_ptsz(to: usize, pitch: usize, from: Handle, x: usize, y: usize, width: usize, height: usize, kind: u32, stream: StreamArg) on stream {
        check(kind, OUT_OF)?;
        start(stream, out_of((to, pitch), (from, x, y), width, height)?, kind)
    }
    fn cudaMemcpy2DArrayToArray | cudaMemcpy2DArrayToArray_ptds(to: Handle, to_x: usize, to_y: usize, from: Handle, x: usize, y: usize, width: usize, height: usize, kind: u32) at stream {
        check(kind, WITHIN)?;
        finish(stream, between((to, to_x, to_y), (from, x, y), width, height)?, kind)
    }
    fn cudaMemcpyToArray | cudaMemcpyToArray_ptds(to: Handle, x: usize, y: usize, from: usize, len: usize, kind: u32) at stream {
        check(kind, INTO)?;
        finish(stream, line(line_of((to, x, y), len)?, Region::line(from), len), kind)
    }
    fn cudaMemcpyToArrayAsync | cudaMemcpyToArrayAsync_ptsz(to: Handle, x: usize, y: usize, from: usize, len: usize, kind: u32, stream: StreamArg) on stream {
        check(kind, INTO)?;
        start(stream, line(line_of((to, x, y), len)?, Region::line(from), len), kind)
    }
    fn cudaMemcpyFromArray | cudaMemcpyFromArray_ptds(to: usize, from: Handle, x: usize, y: usize, len: usize, kind: u32) at stream {
        check(kind, OUT_OF)?;
        finish(stream, line(Region::line(to), line_of((from, x, y), len)?, len), kind)
    }
    fn cudaMemcpyFromArrayAsync | cudaMemcpyFromArrayAsync_ptsz(to: usize, from: Handle, x: usize, y: usize, len: usize, kind: u32, stream: StreamArg) on stream {
        check(kind, OUT_OF)?;
        start(stream, line(Region::line(to), line_of((from, x, y), len)?, len), kind)
    }
    fn cudaMemcpyArrayToArray | cudaMemcpyArrayToArray_ptds(to: Handle, to_x: usize, to_y: usize, from: Handle, x: usize, y: usize, len: usize, kind: u32) at stream {
        check(kind, WITHIN)?;
        finish(stream, line(line_of((to, to_x, to_y), len)?, line_of((from, x, y), len)?, len), kind)
    }
}
