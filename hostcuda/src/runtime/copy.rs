//! Copies.

use crate::boundary::{Out, StreamArg, exports, through};
use crate::code::{Code, Result};
use crate::runtime::memory::{Extent, PitchedPtr};
use crate::transfer::{Region, Side, Source, Transfer};
use crate::{device, memory, primary};

/// Returns the ends of a copy kind: host to host, to device, from device, within devices, default.
pub(crate) fn sides(kind: u32) -> Result<(Side, Side)> {
    match kind {
        0 => Ok((Side::Host, Side::Host)),
        1 => Ok((Side::Device, Side::Host)),
        2 => Ok((Side::Host, Side::Device)),
        3 => Ok((Side::Device, Side::Device)),
        4 => Ok((Side::Any, Side::Any)),
        _ => Err(Code::INVALID_MEMCPY_DIRECTION),
    }
}

/// Returns the copy kind of a transfer.
fn kind_of(transfer: &Transfer) -> u32 {
    (0..=3).find(|kind| sides(*kind) == Ok(transfer.sides)).unwrap_or(4)
}

fn rows(to: (usize, usize), from: (usize, usize), width: usize, height: usize) -> Result<Transfer> {
    let narrow = |pitch: usize| pitch < width && (height > 1 || pitch > 0);
    if height > 0 && (narrow(to.1) || narrow(from.1)) {
        return Err(if height > 1 { Code::INVALID_PITCH_VALUE } else { Code::INVALID_VALUE });
    }
    let [to, from] = [to, from].map(|(address, pitch)| Region::rows(address, pitch));
    Ok(Transfer::new(to, Source::Memory(from), width, height, 1))
}

fn finish(stream: StreamArg, transfer: Transfer, kind: u32) -> Result {
    let (to, from) = sides(kind)?;
    memory::finish(stream.get()?, transfer, to, from)
}

fn start(stream: StreamArg, transfer: Transfer, kind: u32) -> Result {
    let (to, from) = sides(kind)?;
    memory::start(stream.get()?, transfer, to, from)
}

/// cudaMemcpy3DParms.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Memcpy3DParms {
    from_array: usize,
    from_at: [usize; 3],
    from: PitchedPtr,
    to_array: usize,
    to_at: [usize; 3],
    to: PitchedPtr,
    extent: Extent,
    pub(crate) kind: u32,
}

impl Memcpy3DParms {
    /// Describes a copy.
    pub(crate) fn of(transfer: &Transfer) -> Result<Memcpy3DParms> {
        let Source::Memory(from) = transfer.from else { return Err(Code::INVALID_VALUE) };
        let pitched = |Region { address, pitch, slice }: Region| PitchedPtr {
            address,
            pitch,
            width: 0,
            height: slice.checked_div(pitch).unwrap_or(0),
        };
        Ok(Memcpy3DParms {
            from_array: 0,
            from_at: [0; 3],
            from: pitched(from),
            to_array: 0,
            to_at: [0; 3],
            to: pitched(transfer.to),
            extent: Extent { width: transfer.width, height: transfer.height, depth: transfer.depth },
            kind: kind_of(transfer),
        })
    }

    /// Returns the copy that is described. Arrays are not served.
    pub(crate) fn transfer(self) -> Result<Transfer> {
        let Extent { width, height, depth } = self.extent;
        let size = [width, height, depth];
        let region = |array: usize, at: [usize; 3], memory: PitchedPtr| match (array, memory.address) {
            (0, 0) => Err(Code::INVALID_VALUE),
            (0, _) => region(memory, at, size),
            (_, 0) => Err(Code::NOT_SUPPORTED),
            _ => Err(Code::INVALID_VALUE),
        };
        let to = region(self.to_array, self.to_at, self.to)?;
        let from = region(self.from_array, self.from_at, self.from)?;
        Ok(Transfer::new(to, Source::Memory(from), width, height, depth))
    }
}

/// Returns the region of a part of pitched memory with that many bytes, rows and slices.
fn region(memory: PitchedPtr, [x, y, z]: [usize; 3], size: [usize; 3]) -> Result<Region> {
    let PitchedPtr { address, pitch, height, .. } = memory;
    let is_empty = size.contains(&0);
    let has_rows = (size[1] > 1 || size[2] > 1) && !is_empty;
    if has_rows && (pitch < size[0] || size[2] > 1 && height < size[1]) {
        return Err(Code::INVALID_PITCH_VALUE);
    }
    let region = || {
        let slice = pitch.checked_mul(height)?;
        let skipped = z.checked_mul(slice)?.checked_add(y.checked_mul(pitch)?)?.checked_add(x)?;
        let is_wide = (pitch > 0 || has_rows) && x.checked_add(size[0])? > pitch;
        let is_tall = height > 0 && y.checked_add(size[1])? > height;
        let fits = is_empty || !is_wide && !is_tall;
        Some(Region { address: address.checked_add(skipped)?, pitch, slice }).filter(|_| fits)
    };
    region().ok_or(Code::INVALID_VALUE)
}

/// cudaMemcpy3DPeerParms.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Memcpy3DPeerParms {
    from_array: usize,
    from_at: [usize; 3],
    from: PitchedPtr,
    from_device: i32,
    to_array: usize,
    to_at: [usize; 3],
    to: PitchedPtr,
    to_device: i32,
    extent: Extent,
}

impl Memcpy3DPeerParms {
    fn transfer(self) -> Result<Transfer> {
        check_devices(self.to_device, self.from_device)?;
        let Memcpy3DPeerParms { from_array, from_at, from, to_array, to_at, to, extent, .. } = self;
        Memcpy3DParms { from_array, from_at, from, to_array, to_at, to, extent, kind: WITHIN }.transfer()
    }
}

fn check_devices(to: i32, from: i32) -> Result {
    primary::of(device::check(to)?)?;
    primary::of(device::check(from)?).map(drop)
}

/// The kind of a copy from device to device.
const WITHIN: u32 = 3;

exports! { inside;
    fn cudaMemcpy(to: usize, from: usize, len: usize, kind: u32) at stream {
        match (kind, stream == StreamArg::PER_THREAD) {
            (0 | 4, false) => through!(cuMemcpy(to: usize, from: usize, len: usize)),
            (0 | 4, true) => through!(cuMemcpy "_ptds" (to: usize, from: usize, len: usize)),
            (1, false) => through!(cuMemcpyHtoD_v2(to: usize, from: usize, len: usize)),
            (1, true) => through!(cuMemcpyHtoD_v2 "_ptds" (to: usize, from: usize, len: usize)),
            (2, false) => through!(cuMemcpyDtoH_v2(to: usize, from: usize, len: usize)),
            (2, true) => through!(cuMemcpyDtoH_v2 "_ptds" (to: usize, from: usize, len: usize)),
            (3, false) => through!(cuMemcpyDtoD_v2(to: usize, from: usize, len: usize)),
            (3, true) => through!(cuMemcpyDtoD_v2 "_ptds" (to: usize, from: usize, len: usize)),
            _ => Err(Code::INVALID_MEMCPY_DIRECTION),
        }
    }
    fn cudaMemcpyAsync(to: usize, from: usize, len: usize, kind: u32, stream: StreamArg) on stream {
        match kind {
            0 | 4 => through!(cuMemcpyAsync(to: usize, from: usize, len: usize, stream: StreamArg)),
            1 => through!(cuMemcpyHtoDAsync_v2(to: usize, from: usize, len: usize, stream: StreamArg)),
            2 => through!(cuMemcpyDtoHAsync_v2(to: usize, from: usize, len: usize, stream: StreamArg)),
            3 => through!(cuMemcpyDtoDAsync_v2(to: usize, from: usize, len: usize, stream: StreamArg)),
            _ => Err(Code::INVALID_MEMCPY_DIRECTION),
        }
    }
    fn cudaMemcpyPeer(to: usize, to_device: i32, from: usize, from_device: i32, len: usize) {
        check_devices(to_device, from_device)?;
        finish(StreamArg::DEFAULT, Transfer::line(to, from, len), WITHIN)
    }
    fn cudaMemcpyPeerAsync(to: usize, to_device: i32, from: usize, from_device: i32, len: usize, stream: StreamArg) {
        check_devices(to_device, from_device)?;
        start(stream, Transfer::line(to, from, len), WITHIN)
    }
    fn cudaMemcpy2D(to: usize, to_pitch: usize, from: usize, from_pitch: usize, width: usize, height: usize, kind: u32) at stream {
        finish(stream, rows((to, to_pitch), (from, from_pitch), width, height)?, kind)
    }
    fn cudaMemcpy2DAsync(to: usize, to_pitch: usize, from: usize, from_pitch: usize, width: usize, height: usize, kind: u32, stream: StreamArg) on stream {
        start(stream, rows((to, to_pitch), (from, from_pitch), width, height)?, kind)
    }
    fn cudaMemcpy3D(copy: Out<Memcpy3DParms>) at stream {
        let copy = copy.get()?;
        finish(stream, copy.transfer()?, copy.kind)
    }
    fn cudaMemcpy3DAsync(copy: Out<Memcpy3DParms>, stream: StreamArg) on stream {
        let copy = copy.get()?;
        start(stream, copy.transfer()?, copy.kind)
    }
    fn cudaMemcpy3DPeer(copy: Out<Memcpy3DPeerParms>) at stream {
        finish(stream, copy.get()?.transfer()?, WITHIN)
    }
    fn cudaMemcpy3DPeerAsync(copy: Out<Memcpy3DPeerParms>, stream: StreamArg) on stream {
        start(stream, copy.get()?.transfer()?, WITHIN)
    }
}
