//! Copies. Both ends are host memory, so directions differ only in which end is checked.

use crate::boundary::{Out, StreamArg, exports};
use crate::code::{Code, Result};
use crate::driver::exec;
use crate::driver::node::{self, NodeParams, Place, node_functions};
use crate::graph::{self, Step};
use crate::handle::Handle;
use crate::transfer::{Region, Side, Source, Transfer};
use crate::work::Work;
use crate::{context, memory};

/// One end of a copy in two or three dimensions.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct End2 {
    x: usize,
    y: usize,
    kind: u32,
    host: usize,
    device: usize,
    array: usize,
    pitch: usize,
}

/// CUDA_MEMCPY2D.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Memcpy2d {
    pub(crate) from: End2,
    pub(crate) to: End2,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// Same as [`End2`], with slices of `height` rows.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct End3 {
    x: usize,
    y: usize,
    z: usize,
    level: usize,
    /// The memory type: 1 host, 2 device, 3 array, which is not served, 4 unified.
    pub(crate) kind: u32,
    host: usize,
    device: usize,
    array: usize,
    reserved: usize,
    pub(crate) pitch: usize,
    pub(crate) height: usize,
}

/// CUDA_MEMCPY3D.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Memcpy3d {
    pub(crate) from: End3,
    pub(crate) to: End3,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

impl End2 {
    /// Rows of memory of a type. The type says which of the two addresses counts.
    pub(crate) fn new(kind: u32, address: usize, pitch: usize) -> End2 {
        End2 { x: 0, y: 0, kind, host: address, device: address, array: 0, pitch }
    }

    fn deep(self) -> End3 {
        let End2 { x, y, kind, host, device, array, pitch } = self;
        End3 { x, y, z: 0, level: 0, kind, host, device, array, reserved: 0, pitch, height: 0 }
    }
}

impl End3 {
    /// A place in memory of a type, with a pitch and rows per slice.
    pub(crate) fn new(kind: u32, address: usize, [x, y, z]: [usize; 3], (pitch, height): (usize, usize)) -> End3 {
        End3 { x, y, z, level: 0, kind, host: address, device: address, array: 0, reserved: 0, pitch, height }
    }

    fn of(region: Region, side: Side) -> End3 {
        let Region { address, pitch, slice } = region;
        let (kind, host, device) = match side {
            Side::Host => (1, address, 0),
            Side::Device => (2, 0, address),
            Side::Any => (4, 0, address),
        };
        let height = slice.checked_div(pitch).unwrap_or(0);
        End3 { host, device, ..End3::new(kind, 0, [0; 3], (pitch, height)) }
    }

    pub(crate) fn address(&self) -> usize {
        if self.kind == 1 { self.host } else { self.device }
    }

    /// Returns the region and how it is checked.
    fn region(self, size: [usize; 3]) -> Result<(Region, Side)> {
        let side = match self.kind {
            1 => Side::Host,
            2 => Side::Device,
            3 => return Err(Code::NOT_SUPPORTED),
            4 => Side::Any,
            _ => return Err(Code::INVALID_VALUE),
        };
        let address = self.address();
        if address == 0 && !size.contains(&0) {
            return Err(Code::INVALID_VALUE);
        }
        let is_line = size[1] <= 1 && size[2] <= 1;
        let pitch = if self.pitch == 0 { size[0] } else { self.pitch };
        let rows = if self.height == 0 { size[1] } else { self.height };
        let slice = pitch.checked_mul(rows).ok_or(Code::INVALID_VALUE)?;
        if !is_line && self.x.checked_add(size[0]).is_none_or(|end| end > pitch) {
            return Err(Code::INVALID_VALUE);
        }
        let skipped = [self.z.checked_mul(slice), self.y.checked_mul(pitch), Some(self.x)];
        let start =
            skipped.into_iter().try_fold(address, |sum, part| sum.checked_add(part?)).ok_or(Code::INVALID_VALUE)?;
        // A line without a pitch is reported as it was described.
        let (pitch, slice) = if is_line && self.pitch == 0 { (0, 0) } else { (pitch, slice) };
        Ok((Region { address: start, pitch, slice }, side))
    }
}

/// Returns the transfer that a structure describes.
fn shaped(copy: Memcpy3d) -> Result<Transfer> {
    let Memcpy3d { width, height, depth, .. } = copy;
    let (from, from_side) = copy.from.region([width, height, depth])?;
    let (to, to_side) = copy.to.region([width, height, depth])?;
    if height > 1 && (from.pitch < width || to.pitch < width) {
        return Err(Code::INVALID_VALUE);
    }
    Ok(Transfer::new(to, Source::Memory(from), width, height, depth).between(to_side, from_side))
}

impl NodeParams for Memcpy3d {
    fn step(self) -> Result<Step> {
        let transfer = shaped(self)?;
        if transfer.is_empty() {
            return Err(Code::INVALID_VALUE);
        }
        Ok(Step::Work(Work::Transfer(transfer.checked()?, Vec::new())))
    }

    fn of(step: &Step) -> Result<Memcpy3d> {
        match step {
            Step::Work(Work::Transfer(transfer @ Transfer { from: Source::Memory(from), .. }, _)) => {
                let Transfer { to, width, height, depth, sides: (to_side, from_side), .. } = *transfer;
                Ok(Memcpy3d { from: End3::of(*from, from_side), to: End3::of(to, to_side), width, height, depth })
            }
            _ => Err(Code::INVALID_VALUE),
        }
    }
}

fn flat(copy: Memcpy2d) -> Memcpy3d {
    Memcpy3d { from: copy.from.deep(), to: copy.to.deep(), width: copy.width, height: copy.height, depth: 1 }
}

fn finish_shaped(stream: StreamArg, copy: Memcpy3d) -> Result {
    memory::finish(stream.get()?, shaped(copy)?)
}

fn start_shaped(stream: StreamArg, copy: Memcpy3d) -> Result {
    memory::start(stream.get()?, shaped(copy)?)
}

/// Copies bytes and returns when the copy has completed.
pub(super) fn finish(stream: StreamArg, to: (usize, Side), from: (usize, Side), len: usize) -> Result {
    memory::finish(stream.get()?, Transfer::line(to.0, from.0, len).between(to.1, from.1))
}

/// Copies bytes in stream order.
pub(super) fn start(stream: StreamArg, to: (usize, Side), from: (usize, Side), len: usize) -> Result {
    memory::start(stream.get()?, Transfer::line(to.0, from.0, len).between(to.1, from.1))
}

fn check_peers(to: Handle, from: Handle) -> Result {
    context::get(to)?;
    context::get(from).map(drop)
}

use Side::{Any, Device, Host};

exports! { driver;
    fn cuMemcpy(to: usize, from: usize, len: usize) at stream { finish(stream, (to, Any), (from, Any), len) }
    fn cuMemcpyAsync(to: usize, from: usize, len: usize, stream: StreamArg) on stream { start(stream, (to, Any), (from, Any), len) }
    fn cuMemcpyHtoD_v2(to: usize, from: usize, len: usize) at stream { finish(stream, (to, Device), (from, Host), len) }
    fn cuMemcpyDtoH_v2(to: usize, from: usize, len: usize) at stream { finish(stream, (to, Host), (from, Device), len) }
    fn cuMemcpyDtoD_v2(to: usize, from: usize, len: usize) at stream { finish(stream, (to, Device), (from, Device), len) }
    fn cuMemcpyHtoDAsync_v2(to: usize, from: usize, len: usize, stream: StreamArg) on stream { start(stream, (to, Device), (from, Host), len) }
    fn cuMemcpyDtoHAsync_v2(to: usize, from: usize, len: usize, stream: StreamArg) on stream { start(stream, (to, Host), (from, Device), len) }
    fn cuMemcpyDtoDAsync_v2(to: usize, from: usize, len: usize, stream: StreamArg) on stream { start(stream, (to, Device), (from, Device), len) }
    fn cuMemcpyPeer(to: usize, to_context: Handle, from: usize, from_context: Handle, len: usize) at stream {
        check_peers(to_context, from_context)?;
        finish(stream, (to, Device), (from, Device), len)
    }
    fn cuMemcpyPeerAsync(to: usize, to_context: Handle, from: usize, from_context: Handle, len: usize, stream: StreamArg) on stream {
        check_peers(to_context, from_context)?;
        start(stream, (to, Device), (from, Device), len)
    }
    fn cuMemcpy2D_v2 = cuMemcpy2DUnaligned_v2(copy: Out<Memcpy2d>) at stream { finish_shaped(stream, flat(copy.get()?)) }
    fn cuMemcpy2DAsync_v2(copy: Out<Memcpy2d>, stream: StreamArg) on stream { start_shaped(stream, flat(copy.get()?)) }
    fn cuMemcpy3D_v2(copy: Out<Memcpy3d>) at stream { finish_shaped(stream, copy.get()?) }
    fn cuMemcpy3DAsync_v2(copy: Out<Memcpy3d>, stream: StreamArg) on stream { start_shaped(stream, copy.get()?) }
}

node_functions! { driver; Memcpy3d:
    cuGraphAddMemcpyNode, cuGraphMemcpyNodeGetParams, cuGraphMemcpyNodeSetParams, cuGraphExecMemcpyNodeSetParams
}
