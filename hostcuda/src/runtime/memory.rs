//! Runtime-only forms of allocation, and pointer attributes.

use crate::block;
use crate::boundary::{Out, StreamArg, exports, through};
use crate::code::{Code, Result};
use crate::driver::fill::{Extent, PitchedPtr};
use crate::handle::Handle;

/// cudaPointerAttributes without the fields that CUDA 13 reserves.
#[repr(C)]
#[derive(Clone, Copy)]
struct PointerAttributes {
    kind: u32,
    device: i32,
    device_pointer: usize,
    host_pointer: usize,
}

/// Allocates nothing if the length is 0: the address is NULL. The driver API refuses this.
fn unless_empty(to: Out<usize>, len: usize, allocate: impl FnOnce() -> Result) -> Result {
    if len == 0 { to.set(0) } else { allocate() }
}

/// Writes NULL if memory is short. Otherwise `allocated` has written the address.
fn offer(to: Out<usize>, allocated: Result) -> Result {
    if allocated == Err(Code::OUT_OF_MEMORY) {
        to.offer(0);
    }
    allocated
}

/// Allocates rows of memory, and writes their pitch.
fn allocate_rows(to: Out<usize>, pitch: Out<usize>, width: usize, height: usize) -> Result {
    let element = 4;
    through!(cuMemAllocPitch_v2(to: Out<usize>, pitch: Out<usize>, width: usize, height: usize, element: u32))
}

fn attributes(address: usize) -> PointerAttributes {
    match block::find(address) {
        None => PointerAttributes { kind: 0, device: -2, device_pointer: 0, host_pointer: address },
        Some(block) => {
            let kind = match (block.is_host(), block.is_managed()) {
                (true, _) => 1,
                (_, true) => 3,
                _ => 2,
            };
            let host_pointer = if block.is_device() { 0 } else { address };
            PointerAttributes { kind, device: block.context.device, device_pointer: address, host_pointer }
        }
    }
}

exports! { inside;
    fn cudaMalloc(to: Out<usize>, len: usize) { unless_empty(to, len, || through!(cuMemAlloc_v2(to: Out<usize>, len: usize))) }
    fn cudaMallocHost(to: Out<usize>, len: usize) { unless_empty(to, len, || through!(cuMemAllocHost_v2(to: Out<usize>, len: usize))) }
    fn cudaHostAlloc(to: Out<usize>, len: usize, flags: u32) {
        unless_empty(to, len, || through!(cuMemHostAlloc(to: Out<usize>, len: usize, flags: u32)))
    }
    fn cudaMallocPitch(to: Out<usize>, pitch: Out<usize>, width: usize, height: usize) { allocate_rows(to, pitch, width, height) }
    fn cudaMalloc3D(to: Out<PitchedPtr>, extent: Extent) {
        let Extent { width, height, depth } = extent;
        let (mut address, mut pitch) = (0, 0);
        let rows = height.checked_mul(depth).ok_or(Code::OUT_OF_MEMORY)?;
        to.check()?;
        allocate_rows(Out::of(&mut address), Out::of(&mut pitch), width, rows)?;
        to.set(PitchedPtr { address, pitch, width, height })
    }
    fn cudaMallocAsync(to: Out<usize>, len: usize, stream: StreamArg) on stream {
        let allocate = || through!(cuMemAllocAsync(to: Out<usize>, len: usize, stream: StreamArg));
        unless_empty(to, len, || offer(to, allocate()))
    }
    fn cudaMallocFromPoolAsync(to: Out<usize>, len: usize, pool: Handle, stream: StreamArg) on stream {
        let allocate = || through!(cuMemAllocFromPoolAsync(to: Out<usize>, len: usize, pool: Handle, stream: StreamArg));
        unless_empty(to, len, || offer(to, allocate()))
    }
    fn cudaPointerGetAttributes(to: Out<PointerAttributes>, address: usize) { to.set(attributes(address)) }
}
