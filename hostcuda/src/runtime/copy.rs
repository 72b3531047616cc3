//! Copies. The driver makes them, so a library in front of it sees each.

use crate::boundary::{Out, StreamArg, exports, through, through_at};
use crate::code::{Code, Result};
use crate::driver::copy::{End2, End3, Memcpy2d, Memcpy3d};
use crate::driver::fill::{Extent, PitchedPtr};
use crate::handle::Handle;
use crate::{device, primary};

/// The driver's memory types.
const HOST: u32 = 1;
const DEVICE: u32 = 2;
const UNIFIED: u32 = 4;

/// Returns the memory types of a copy kind, of the destination and the source: host to host, to device, from device, within devices, default.
fn types(kind: u32) -> Result<(u32, u32)> {
    match kind {
        0 => Ok((HOST, HOST)),
        1 => Ok((DEVICE, HOST)),
        2 => Ok((HOST, DEVICE)),
        3 => Ok((DEVICE, DEVICE)),
        4 => Ok((UNIFIED, UNIFIED)),
        _ => Err(Code::INVALID_MEMCPY_DIRECTION),
    }
}

/// Copies bytes.
pub(super) fn bytes(to: usize, from: usize, len: usize, kind: u32, stream: StreamArg) -> Result {
    match kind {
        0 | 4 => through_at!(stream, cuMemcpy(to: usize, from: usize, len: usize)),
        1 => through_at!(stream, cuMemcpyHtoD_v2(to: usize, from: usize, len: usize)),
        2 => through_at!(stream, cuMemcpyDtoH_v2(to: usize, from: usize, len: usize)),
        3 => through_at!(stream, cuMemcpyDtoD_v2(to: usize, from: usize, len: usize)),
        _ => Err(Code::INVALID_MEMCPY_DIRECTION),
    }
}

/// Copies bytes in stream order.
pub(super) fn bytes_async(to: usize, from: usize, len: usize, kind: u32, stream: StreamArg) -> Result {
    match kind {
        0 | 4 => through!(cuMemcpyAsync(to: usize, from: usize, len: usize, stream: StreamArg)),
        1 => through!(cuMemcpyHtoDAsync_v2(to: usize, from: usize, len: usize, stream: StreamArg)),
        2 => through!(cuMemcpyDtoHAsync_v2(to: usize, from: usize, len: usize, stream: StreamArg)),
        3 => through!(cuMemcpyDtoDAsync_v2(to: usize, from: usize, len: usize, stream: StreamArg)),
        _ => Err(Code::INVALID_MEMCPY_DIRECTION),
    }
}

/// Returns a copy of bytes as the driver describes it.
pub(super) fn line(to: usize, from: usize, len: usize, kind: u32) -> Result<Memcpy3d> {
    let (to_type, from_type) = types(kind)?;
    let end = |address, kind| End3::new(kind, address, [0; 3], (0, 0));
    Ok(Memcpy3d { from: end(from, from_type), to: end(to, to_type), width: len, height: 1, depth: 1 })
}

/// Returns a copy of rows as the driver describes it, from addresses and pitches.
fn rows(to: (usize, usize), from: (usize, usize), width: usize, height: usize, kind: u32) -> Result<Memcpy2d> {
    let (to_type, from_type) = types(kind)?;
    let narrow = |pitch: usize| pitch < width && (height > 1 || pitch > 0);
    if height > 0 && (narrow(to.1) || narrow(from.1)) {
        return Err(if height > 1 { Code::INVALID_PITCH_VALUE } else { Code::INVALID_VALUE });
    }
    let end = |(address, pitch), kind| End2::new(kind, address, pitch);
    Ok(Memcpy2d { from: end(from, from_type), to: end(to, to_type), width, height })
}

/// One end of a copy in three dimensions.
#[repr(C)]
#[derive(Clone, Copy)]
struct End {
    array: usize,
    at: [usize; 3],
    memory: PitchedPtr,
}

/// cudaMemcpy3DParms.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Memcpy3DParms {
    from: End,
    to: End,
    extent: Extent,
    kind: u32,
}

impl End {
    /// Returns the end as the driver describes it. Refuses arrays, which are not served, and a region beyond its memory.
    fn driver(self, kind: u32, size: [usize; 3]) -> Result<End3> {
        let End { array, at, memory: PitchedPtr { address, pitch, height, .. } } = self;
        if (array == 0) == (address == 0) {
            return Err(Code::INVALID_VALUE);
        }
        if array != 0 {
            return Err(Code::NOT_SUPPORTED);
        }
        let is_empty = size.contains(&0);
        let has_rows = (size[1] > 1 || size[2] > 1) && !is_empty;
        if has_rows && (pitch < size[0] || size[2] > 1 && height < size[1]) {
            return Err(Code::INVALID_PITCH_VALUE);
        }
        let exceeds = |at: usize, len: usize, most: usize| at.checked_add(len).is_none_or(|end| end > most);
        let is_wide = (pitch > 0 || has_rows) && exceeds(at[0], size[0], pitch);
        if !is_empty && (is_wide || height > 0 && exceeds(at[1], size[1], height)) {
            return Err(Code::INVALID_VALUE);
        }
        Ok(End3::new(kind, address, at, (pitch, height)))
    }

    fn of(end: &End3) -> End {
        let End3 { pitch, height, .. } = *end;
        End { array: 0, at: [0; 3], memory: PitchedPtr { address: end.address(), pitch, width: 0, height } }
    }
}

impl Memcpy3DParms {
    /// Returns the copy as the driver describes it.
    pub(super) fn driver(self) -> Result<Memcpy3d> {
        let (to, from) = types(self.kind)?;
        let Extent { width, height, depth } = self.extent;
        let size = [width, height, depth];
        Ok(Memcpy3d { to: self.to.driver(to, size)?, from: self.from.driver(from, size)?, width, height, depth })
    }

    /// Describes a copy of the driver's.
    pub(super) fn of(copy: &Memcpy3d) -> Memcpy3DParms {
        let Memcpy3d { width, height, depth, .. } = *copy;
        let kind = (0..=3).find(|kind| types(*kind) == Ok((copy.to.kind, copy.from.kind))).unwrap_or(4);
        Memcpy3DParms {
            from: End::of(&copy.from),
            to: End::of(&copy.to),
            extent: Extent { width, height, depth },
            kind,
        }
    }
}

/// Returns the primary context of a device.
fn context(device: i32) -> Result<Handle> {
    Ok(primary::of(device::check(device)?)?.handle())
}

exports! { inside;
    fn cudaMemcpy(to: usize, from: usize, len: usize, kind: u32) at stream { bytes(to, from, len, kind, stream) }
    fn cudaMemcpyAsync(to: usize, from: usize, len: usize, kind: u32, stream: StreamArg) on stream { bytes_async(to, from, len, kind, stream) }
    fn cudaMemcpyPeer(to: usize, to_device: i32, from: usize, from_device: i32, len: usize) {
        let (to_context, from_context) = (context(to_device)?, context(from_device)?);
        through!(cuMemcpyPeer(to: usize, to_context: Handle, from: usize, from_context: Handle, len: usize))
    }
    fn cudaMemcpyPeerAsync(to: usize, to_device: i32, from: usize, from_device: i32, len: usize, stream: StreamArg) {
        let (to_context, from_context) = (context(to_device)?, context(from_device)?);
        through!(cuMemcpyPeerAsync(to: usize, to_context: Handle, from: usize, from_context: Handle, len: usize, stream: StreamArg))
    }
    fn cudaMemcpy2D(to: usize, to_pitch: usize, from: usize, from_pitch: usize, width: usize, height: usize, kind: u32) at stream {
        let copy = &rows((to, to_pitch), (from, from_pitch), width, height, kind)?;
        through_at!(stream, cuMemcpy2DUnaligned_v2(copy: &Memcpy2d))
    }
    fn cudaMemcpy2DAsync(to: usize, to_pitch: usize, from: usize, from_pitch: usize, width: usize, height: usize, kind: u32, stream: StreamArg) on stream {
        let copy = &rows((to, to_pitch), (from, from_pitch), width, height, kind)?;
        through!(cuMemcpy2DAsync_v2(copy: &Memcpy2d, stream: StreamArg))
    }
    fn cudaMemcpy3D(copy: Out<Memcpy3DParms>) at stream {
        let copy = &copy.get()?.driver()?;
        through_at!(stream, cuMemcpy3D_v2(copy: &Memcpy3d))
    }
    fn cudaMemcpy3DAsync(copy: Out<Memcpy3DParms>, stream: StreamArg) on stream {
        let copy = &copy.get()?.driver()?;
        through!(cuMemcpy3DAsync_v2(copy: &Memcpy3d, stream: StreamArg))
    }
}
