//! Copies.

use super::needed::is_twelve;
use crate::both::batch::{Copies, copy_batch};
use crate::boundary::{Out, StreamArg, exports};
use crate::code::{Code, Result};
use crate::runtime::memory::{Extent, PitchedPtr};
use crate::transfer::{Region, Side, Source, Transfer};
use crate::{block, device, memory, primary};
use std::ffi::c_void;

/// Where copies of a kind go to and come from: host to host, to device, from device, within devices, whichever.
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

fn rows(to: (usize, usize), from: (usize, usize), width: usize, height: usize) -> Result<Transfer> {
    if height > 1 && (to.1 < width || from.1 < width) {
        return Err(Code::INVALID_PITCH_VALUE);
    }
    let [to, from] = [to, from].map(|(address, pitch)| Region::rows(address, pitch));
    Ok(Transfer { to, from: Source::Memory(from), width, height, depth: 1 })
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
        let Transfer { to, width, height, depth, .. } = *transfer;
        let pointer = |of: Region| {
            let rows = of.slice.checked_div(of.pitch).filter(|rows| *rows > 0).unwrap_or(height);
            PitchedPtr { address: of.address, pitch: of.pitch, width, height: rows }
        };
        let is_device = |of: Region| u32::from(block::find(of.address).is_some_and(|block| block.is_device()));
        let kind = is_device(from) * 2 + is_device(to);
        let (to, from) = (pointer(to), pointer(from));
        let extent = Extent { width, height, depth };
        Ok(Memcpy3DParms { from_array: 0, from_at: [0; 3], from, to_array: 0, to_at: [0; 3], to, extent, kind })
    }

    pub(crate) fn transfer(self) -> Result<Transfer> {
        if self.from_array != 0 || self.to_array != 0 {
            return Err(Code::NOT_SUPPORTED);
        }
        let region = |of: PitchedPtr, at: [usize; 3]| {
            let slice = of.pitch.checked_mul(of.height)?;
            let skipped = at[2].checked_mul(slice)?.checked_add(at[1].checked_mul(of.pitch)?)?.checked_add(at[0])?;
            Some(Region { address: of.address.checked_add(skipped)?, pitch: of.pitch, slice })
        };
        let to = region(self.to, self.to_at).ok_or(Code::INVALID_VALUE)?;
        let from = region(self.from, self.from_at).ok_or(Code::INVALID_VALUE)?;
        let Extent { width, height, depth } = self.extent;
        Ok(Transfer { to, from: Source::Memory(from), width, height, depth })
    }
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
    fn cudaMemcpy | cudaMemcpy_ptds(to: usize, from: usize, len: usize, kind: u32) at stream {
        finish(stream, Transfer::line(to, from, len), kind)
    }
    fn cudaMemcpyAsync | cudaMemcpyAsync_ptsz(to: usize, from: usize, len: usize, kind: u32, stream: StreamArg) on stream {
        start(stream, Transfer::line(to, from, len), kind)
    }
    fn cudaMemcpyPeer(to: usize, to_device: i32, from: usize, from_device: i32, len: usize) {
        check_devices(to_device, from_device)?;
        finish(StreamArg::DEFAULT, Transfer::line(to, from, len), WITHIN)
    }
    fn cudaMemcpyPeerAsync(to: usize, to_device: i32, from: usize, from_device: i32, len: usize, stream: StreamArg) {
        check_devices(to_device, from_device)?;
        start(stream, Transfer::line(to, from, len), WITHIN)
    }
    fn cudaMemcpy2D | cudaMemcpy2D_ptds(to: usize, to_pitch: usize, from: usize, from_pitch: usize, width: usize, height: usize, kind: u32) at stream {
        finish(stream, rows((to, to_pitch), (from, from_pitch), width, height)?, kind)
    }
    fn cudaMemcpy2DAsync | cudaMemcpy2DAsync_ptsz(to: usize, to_pitch: usize, from: usize, from_pitch: usize, width: usize, height: usize, kind: u32, stream: StreamArg) on stream {
        start(stream, rows((to, to_pitch), (from, from_pitch), width, height)?, kind)
    }
    fn cudaMemcpy3D | cudaMemcpy3D_ptds(copy: Out<Memcpy3DParms>) at stream {
        let copy = copy.get()?;
        finish(stream, copy.transfer()?, copy.kind)
    }
    fn cudaMemcpy3DAsync | cudaMemcpy3DAsync_ptsz(copy: Out<Memcpy3DParms>, stream: StreamArg) on stream {
        let copy = copy.get()?;
        start(stream, copy.transfer()?, copy.kind)
    }
    fn cudaMemcpy3DPeer | cudaMemcpy3DPeer_ptds(copy: Out<Memcpy3DPeerParms>) at stream {
        finish(stream, copy.get()?.transfer()?, WITHIN)
    }
    fn cudaMemcpy3DPeerAsync | cudaMemcpy3DPeerAsync_ptsz(copy: Out<Memcpy3DPeerParms>, stream: StreamArg) on stream {
        start(stream, copy.get()?.transfer()?, WITHIN)
    }
    /// In CUDA 12 the place of the one that failed stands before the stream.
    fn cudaMemcpyBatchAsync(to: Out<usize>, from: Out<usize>, lens: Out<usize>, count: usize, attributes: *const c_void, places: Out<usize>, groups: usize, eighth: usize, ninth: StreamArg) {
        let _ = attributes;
        batch((to, from, lens, count), (places, groups), eighth, ninth)
    }
    fn cudaMemcpyBatchAsync_ptsz(to: Out<usize>, from: Out<usize>, lens: Out<usize>, count: usize, attributes: *const c_void, places: Out<usize>, groups: usize, eighth: usize, ninth: StreamArg) {
        let _ = attributes;
        batch((to, from, lens, count), (places, groups), eighth, ninth)
    }
}

fn batch(copies: Copies, groups: (Out<usize>, usize), eighth: usize, ninth: StreamArg) -> Result {
    match is_twelve() {
        true => copy_batch(copies, groups, Out::at_address(eighth), ninth),
        false => copy_batch(copies, groups, Out::NONE, StreamArg(eighth)),
    }
}
