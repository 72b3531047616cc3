//! Memory: to get it, to give it back, and what can be asked of it.

use crate::boundary::{Out, StreamArg, exports};
use crate::code::{Code, Result};
use crate::device;
use crate::driver::memory::{allocate_host, allocate_later, allocate_rows, device_pointer, host_flags, register};
use crate::memory::{self, Kind};
use std::ffi::c_void;

/// cudaPointerAttributes, without the room that CUDA 13 keeps for later.
#[repr(C)]
#[derive(Clone, Copy)]
struct Attributes {
    kind: u32,
    device: i32,
    device_pointer: usize,
    host_pointer: usize,
}

/// cudaPitchedPtr.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Pitched {
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

/// Of the runtime's, unlike the driver's, nothing may be had: it is at no address.
fn unless_empty(to: Out<usize>, len: usize, allocate: impl FnOnce() -> Result) -> Result {
    if len == 0 { to.set(0) } else { allocate() }
}

fn attributes(address: usize) -> Attributes {
    match memory::find(address) {
        None => Attributes { kind: 0, device: -2, device_pointer: 0, host_pointer: address },
        Some(block) => {
            let (kind, host_pointer) = match block.kind {
                Kind::Host | Kind::Registered => (1, address),
                Kind::Device => (2, 0),
                Kind::Managed => (3, address),
            };
            Attributes { kind, device: block.context.device, device_pointer: address, host_pointer }
        }
    }
}

exports! { inside;
    fn cudaMalloc(to: Out<usize>, len: usize) {
        unless_empty(to, len, || to.check()?.set(memory::allocate(len, Kind::Device, 0)?))
    }
    fn cudaMallocManaged(to: Out<usize>, len: usize, flags: u32) {
        if !matches!(flags, 1 | 2) || len == 0 {
            return Err(Code::INVALID_VALUE);
        }
        to.check()?.set(memory::allocate(len, Kind::Managed, flags)?)
    }
    fn cudaMallocHost(to: Out<usize>, len: usize) {
        unless_empty(to, len, || allocate_host(to, len, 0))
    }
    fn cudaHostAlloc(to: Out<usize>, len: usize, flags: u32) {
        unless_empty(to, len, || allocate_host(to, len, flags))
    }
    fn cudaMallocPitch(to: Out<usize>, pitch: Out<usize>, width: usize, height: usize) {
        allocate_rows(to, pitch, width, height)
    }
    fn cudaMalloc3D(to: Out<Pitched>, extent: Extent) {
        let Extent { width, height, depth } = extent;
        let (mut address, mut pitch) = (0, 0);
        let rows = height.checked_mul(depth).ok_or(Code::OUT_OF_MEMORY)?;
        to.check()?;
        allocate_rows(Out::of(&mut address), Out::of(&mut pitch), width, rows)?;
        to.set(Pitched { address, pitch, width, height })
    }
    fn cudaFree(start: usize) {
        memory::free(start, &[Kind::Device, Kind::Managed])
    }
    fn cudaFreeHost(start: usize) {
        memory::free(start, &[Kind::Host])
    }
    fn cudaMallocAsync | cudaMallocAsync_ptsz(to: Out<usize>, len: usize, stream: StreamArg) on stream {
        unless_empty(to, len, || allocate_later(to, len, stream))
    }
    fn cudaFreeAsync | cudaFreeAsync_ptsz(start: usize, stream: StreamArg) on stream {
        memory::free_later(start, stream.get()?)
    }
    fn cudaHostRegister(start: usize, len: usize, flags: u32) {
        register(start, len, flags)
    }
    fn cudaHostUnregister(start: usize) {
        memory::unregister(start)
    }
    fn cudaHostGetDevicePointer(to: Out<usize>, address: usize, flags: u32) {
        device_pointer(to, address, flags)
    }
    fn cudaHostGetFlags(to: Out<u32>, address: usize) {
        host_flags(to, address)
    }
    fn cudaMemGetInfo(free: Out<usize>, total: Out<usize>) {
        let (all, available) = device::memory();
        free.check()?;
        total.set(all)?;
        free.set(available)
    }
    fn cudaPointerGetAttributes(to: Out<Attributes>, address: usize) {
        to.set(attributes(address))
    }
    /// All memory is where it is: advice about places is taken, and without effect. The rest of the arguments differs
    /// between CUDA 12 and 13.
    fn cudaMemAdvise(address: *const c_void, _len: usize) {
        memory::find(address as usize).map(drop).ok_or(Code::INVALID_VALUE)
    }
    /// As cudaMemAdvise.
    fn cudaMemPrefetchAsync | cudaMemPrefetchAsync_ptsz(address: *const c_void, _len: usize) at stream {
        let _ = stream;
        memory::find(address as usize).map(drop).ok_or(Code::INVALID_VALUE)
    }
}
