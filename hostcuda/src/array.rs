//! Arrays: memory in rows and slices of elements, named by handles. Only kernels see how a device lays it out.

use crate::block::{self, Kind};
use crate::capture;
use crate::code::{Code, Result};
use crate::context::Context;
use crate::format::Format;
use crate::handle::Handle;
use crate::numbered::Numbered;
use crate::transfer::Region;

/// An array and its memory.
#[derive(Clone, Copy)]
pub(crate) struct Array {
    pub(crate) shape: Shape,
    pub(crate) start: usize,
    /// The number of its block. The block is freed with its context, and another block may then have the address.
    block: u64,
}

/// The size of an array: elements in a row, rows, and slices. A 1D array has 0 rows, and a 2D array 0 slices.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) format: Format,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
    pub(crate) flags: u32,
}

static ARRAYS: Numbered<Array> = Numbered::new();

const LAYERED: u32 = 1;
const CUBEMAP: u32 = 4;
const GATHER: u32 = 8;
/// Layered, surface, cube map, texture gather, depth texture and color attachment.
const FLAGS: u32 = 0x3F;
/// The faces of a cube.
const FACES: usize = 6;
/// The largest sizes that a device supports: 1D, 2D, 3D, layered.
const MOST: [[usize; 3]; 4] = [[131_072, 1, 1], [131_072, 65_536, 1], [32_768; 3], [32_768, 32_768, 2_048]];

impl Shape {
    fn check(&self) -> Result {
        let Shape { width, height, depth, flags, .. } = *self;
        let is = |flag: u32| flags & flag != 0;
        let most = match (height, depth) {
            _ if is(LAYERED | CUBEMAP) => MOST[3],
            (0, 0) => MOST[0],
            (_, 0) => MOST[1],
            _ => MOST[2],
        };
        let fits = [width, height, depth].iter().zip(most).all(|(size, most)| *size <= most);
        let is_shape = height > 0 || depth == 0 || is(LAYERED);
        let is_layered = !is(LAYERED) || depth > 0;
        let is_cube = width == height && depth.is_multiple_of(FACES) && (is(LAYERED) || depth == FACES);
        let is_gathered = height > 0 && depth == 0;
        let good = width > 0 && fits && is_shape && is_layered && flags & !FLAGS == 0;
        if good && (!is(CUBEMAP) || is_cube) && (!is(GATHER) || is_gathered) {
            Ok(())
        } else {
            Err(Code::INVALID_VALUE)
        }
    }

    /// Bytes of a row.
    pub(crate) fn pitch(&self) -> usize {
        self.width * self.format.bytes()
    }

    /// Bytes of a slice.
    fn slice(&self) -> usize {
        self.pitch() * self.height.max(1)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slice() * self.depth.max(1)
    }
}

impl Array {
    /// Where a part of the array is, given in bytes, rows and slices.
    pub(crate) fn part(&self, at: [usize; 3], size: [usize; 3]) -> Result<Region> {
        let shape = &self.shape;
        let bounds = [shape.pitch(), shape.height.max(1), shape.depth.max(1)];
        let fits = |place: usize| at[place].checked_add(size[place]).is_some_and(|end| end <= bounds[place]);
        if !(0..3).all(fits) {
            return Err(Code::INVALID_VALUE);
        }
        let address = self.start + at[2] * shape.slice() + at[1] * shape.pitch() + at[0];
        Ok(Region { address, pitch: shape.pitch(), slice: shape.slice() })
    }

    /// Where a run of bytes is that continues from the end of a row to the next row.
    pub(crate) fn line(&self, x: usize, y: usize, len: usize) -> Result<Region> {
        self.part([x, y, 0], [0, 0, 0])?;
        let skipped = y * self.shape.pitch() + x;
        let rest = self.shape.bytes().checked_sub(skipped).ok_or(Code::INVALID_VALUE)?;
        if len > rest { Err(Code::INVALID_VALUE) } else { Ok(Region::line(self.start + skipped)) }
    }
}

/// Makes an array.
pub(crate) fn create(context: &'static Context, shape: Shape) -> Result<Handle> {
    shape.check()?;
    let start = block::allocate(context, shape.bytes(), Kind::Array, 0)?;
    let block = block::find(start).ok_or(Code::INVALID_CONTEXT)?.id;
    Ok(ARRAYS.insert(Array { shape, start, block }))
}

/// Returns the array of a handle.
pub(crate) fn get(handle: Handle) -> Result<Array> {
    let is_there = |array: &Array| block::find(array.start).is_some_and(|block| block.id == array.block);
    ARRAYS.get(handle).filter(is_there).ok_or(Code::INVALID_HANDLE)
}

/// Returns the array that an address lies in, its handle, and the bytes, rows and slices before the address.
pub(crate) fn at(address: usize) -> Option<(Handle, Array, [usize; 3])> {
    let block = block::find(address).filter(|block| block.kind == Kind::Array)?;
    let (handle, array) = ARRAYS.find(|array| array.block == block.id)?;
    let skipped = address - block.start;
    let (pitch, slice) = (array.shape.pitch(), array.shape.slice());
    Some((handle, array, [skipped % pitch, skipped % slice / pitch, skipped / slice]))
}

/// Waits for all work of the array's context and frees the array.
pub(crate) fn destroy(handle: Handle) -> Result {
    let array = get(handle)?;
    capture::check_unsafe_call()?;
    let (block, failed) = block::retire(array.start, &[Kind::Array])?.ok_or(Code::INVALID_HANDLE)?;
    ARRAYS.remove(handle);
    // SAFETY: as in `memory::free`.
    unsafe { block.free() };
    failed
}
