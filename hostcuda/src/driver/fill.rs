//! Memory sets. As on a device, they return before they have completed. Without a stream argument, this is true only of device-only memory.
//! The driver makes sets in three dimensions slice by slice.

use crate::boundary::{StreamArg, exports, through, through_at};
use crate::code::{Code, Result};
use crate::memory;
use crate::transfer::{Region, Side, Source, Transfer};

/// `height` rows of `count` values.
pub(super) struct Rows {
    pub(super) to: usize,
    pub(super) pitch: usize,
    pub(super) count: usize,
    pub(super) height: usize,
}

/// cudaPitchedPtr.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PitchedPtr {
    pub(crate) address: usize,
    pub(crate) pitch: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// cudaExtent.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

/// Returns a transfer that sets memory to a value of `size` bytes.
pub(super) fn transfer(rows: Rows, value: u32, size: usize) -> Result<Transfer> {
    let aligned = rows.to.is_multiple_of(size) && (rows.height == 1 || rows.pitch.is_multiple_of(size));
    let width = rows.count.checked_mul(size).filter(|_| aligned).ok_or(Code::INVALID_VALUE)?;
    if rows.height > 1 && rows.pitch < width {
        return Err(Code::INVALID_VALUE);
    }
    let to = Region::rows(rows.to, rows.pitch);
    Ok(Transfer::new(to, Source::Value(value, size), width, rows.height, 1).between(Side::Device, Side::Any))
}

/// Sets memory in stream order.
fn start(stream: StreamArg, rows: Rows, value: u32, size: usize) -> Result {
    memory::start(stream.get()?, transfer(rows, value, size)?)
}

/// Same as [`start`], for calls without a stream argument.
fn set(stream: StreamArg, rows: Rows, value: u32, size: usize) -> Result {
    memory::set(stream.get()?, transfer(rows, value, size)?)
}

fn line(to: usize, count: usize) -> Rows {
    Rows { to, pitch: 0, count, height: 1 }
}

/// Calls `set` with the address and the number of rows of each part that has one pitch throughout.
fn each(to: PitchedPtr, extent: Extent, set: impl Fn(usize, usize) -> Result) -> Result {
    let Extent { width, height, depth } = extent;
    if (height > 1 || depth > 1) && to.pitch < width {
        return Err(Code::INVALID_VALUE);
    }
    if width == 0 || height == 0 || depth == 0 {
        return Ok(());
    }
    let slice = to.pitch.checked_mul(to.height).ok_or(Code::INVALID_VALUE)?;
    if height == to.height {
        return set(to.address, height.checked_mul(depth).ok_or(Code::INVALID_VALUE)?);
    }
    (0..depth).try_for_each(|at| set(to.address.wrapping_add(at.wrapping_mul(slice)), height))
}

// The runtime passes a byte value as an int, the driver as a byte.
exports! { driver, inside;
    fn cuMemsetD8_v2 = cudaMemset(to: usize, value: i32, count: usize) at stream { set(stream, line(to, count), value as u8 as u32, 1) }
    fn cuMemsetD8Async = cudaMemsetAsync(to: usize, value: i32, count: usize, stream: StreamArg) on stream {
        start(stream, line(to, count), value as u8 as u32, 1)
    }
    fn cuMemsetD2D8_v2 = cudaMemset2D(to: usize, pitch: usize, value: i32, count: usize, height: usize) at stream {
        set(stream, Rows { to, pitch, count, height }, value as u8 as u32, 1)
    }
    fn cuMemsetD2D8Async = cudaMemset2DAsync(to: usize, pitch: usize, value: i32, count: usize, height: usize, stream: StreamArg) on stream {
        start(stream, Rows { to, pitch, count, height }, value as u8 as u32, 1)
    }
}

exports! { driver;
    fn cuMemsetD16_v2(to: usize, value: u16, count: usize) at stream { set(stream, line(to, count), value.into(), 2) }
    fn cuMemsetD16Async(to: usize, value: u16, count: usize, stream: StreamArg) on stream { start(stream, line(to, count), value.into(), 2) }
    fn cuMemsetD2D16_v2(to: usize, pitch: usize, value: u16, count: usize, height: usize) at stream {
        set(stream, Rows { to, pitch, count, height }, value.into(), 2)
    }
    fn cuMemsetD2D16Async(to: usize, pitch: usize, value: u16, count: usize, height: usize, stream: StreamArg) on stream {
        start(stream, Rows { to, pitch, count, height }, value.into(), 2)
    }
    fn cuMemsetD32_v2(to: usize, value: u32, count: usize) at stream { set(stream, line(to, count), value, 4) }
    fn cuMemsetD32Async(to: usize, value: u32, count: usize, stream: StreamArg) on stream { start(stream, line(to, count), value, 4) }
    fn cuMemsetD2D32_v2(to: usize, pitch: usize, value: u32, count: usize, height: usize) at stream {
        set(stream, Rows { to, pitch, count, height }, value, 4)
    }
    fn cuMemsetD2D32Async(to: usize, pitch: usize, value: u32, count: usize, height: usize, stream: StreamArg) on stream {
        start(stream, Rows { to, pitch, count, height }, value, 4)
    }
}

exports! { inside;
    fn cudaMemset3D(to: PitchedPtr, value: i32, extent: Extent) at stream {
        let (pitch, width) = (to.pitch, extent.width);
        each(to, extent, |to, height| {
            through_at!(stream, cuMemsetD2D8_v2(to: usize, pitch: usize, value: i32, width: usize, height: usize))
        })
    }
    fn cudaMemset3DAsync(to: PitchedPtr, value: i32, extent: Extent, stream: StreamArg) on stream {
        let (pitch, width) = (to.pitch, extent.width);
        each(to, extent, |to, height| {
            through!(cuMemsetD2D8Async(to: usize, pitch: usize, value: i32, width: usize, height: usize, stream: StreamArg))
        })
    }
}
