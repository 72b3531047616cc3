//! Memory that is allocated, registered, and given back.

use crate::block::{self, Kind};
use crate::boundary::{Out, StreamArg, exports};
use crate::code::{Code, Result};
use crate::{context, device, memory};

/// Flags of page-locked memory: portable, mapped, write-combined; for memory of the program's also I/O and read-only.
const HOST_FLAGS: u32 = 7;
const REGISTER_FLAGS: u32 = 15;
/// Rows of pitched memory begin at multiples of this many bytes.
const PITCH: usize = 512;

/// Allocates page-locked memory.
pub(crate) fn allocate_host(to: Out<usize>, len: usize, flags: u32) -> Result {
    if flags & !HOST_FLAGS != 0 {
        return Err(Code::INVALID_VALUE);
    }
    to.check()?.set(memory::allocate(len, Kind::Host, flags)?)
}

/// Registers the program's memory as page-locked.
pub(crate) fn register(start: usize, len: usize, flags: u32) -> Result {
    if flags & !REGISTER_FLAGS != 0 {
        return Err(Code::INVALID_VALUE);
    }
    block::register(context::current()?, start, len, flags)
}

/// Allocates rows of memory; reports the bytes from one to the next.
pub(crate) fn allocate_rows(to: Out<usize>, pitch: Out<usize>, width: usize, height: usize) -> Result {
    to.check()?;
    pitch.check()?;
    let bytes = width.checked_next_multiple_of(PITCH).ok_or(Code::OUT_OF_MEMORY)?;
    let len = bytes.checked_mul(height).ok_or(Code::OUT_OF_MEMORY)?;
    to.set(memory::allocate(len, Kind::Device, 0)?)?;
    pitch.set(bytes)
}

exports! { driver, inside;
    fn cuMemGetInfo_v2 = cudaMemGetInfo(free: Out<usize>, total: Out<usize>) {
        let context = context::current()?;
        total.offer(device::total_memory());
        free.offer(device::available_memory().saturating_sub(block::taken(context.device)));
        Ok(())
    }
    fn cuMemAllocManaged = cudaMallocManaged(to: Out<usize>, len: usize, flags: u32) {
        if !matches!(flags, 1 | 2) {
            return Err(Code::INVALID_VALUE);
        }
        to.check()?.set(memory::allocate(len, Kind::Managed, flags)?)
    }
    fn cuMemFree_v2 = cudaFree(start: usize) {
        memory::free(start, &[Kind::Device, Kind::Managed])
    }
    fn cuMemFreeHost = cudaFreeHost(start: usize) {
        memory::free(start, &[Kind::Host])
    }
    fn cuMemFreeAsync | cuMemFreeAsync_ptsz = cudaFreeAsync | cudaFreeAsync_ptsz
        (start: usize, stream: StreamArg) on stream {
        memory::free_later(start, stream.get()?)
    }
    fn cuMemHostRegister_v2 = cudaHostRegister(start: usize, len: usize, flags: u32) {
        register(start, len, flags)
    }
    fn cuMemHostUnregister = cudaHostUnregister(start: usize) {
        memory::unregister(start)
    }
    /// The device's address of page-locked memory is the memory's own.
    fn cuMemHostGetDevicePointer_v2 = cudaHostGetDevicePointer(to: Out<usize>, address: usize, flags: u32) {
        let block = block::find(address).filter(|block| flags == 0 && !block.is_device());
        block.ok_or(Code::INVALID_VALUE)?;
        to.set(address)
    }
    fn cuMemHostGetFlags = cudaHostGetFlags(to: Out<u32>, address: usize) {
        let block = block::find(address).filter(block::Block::is_host);
        to.check()?.set(block.ok_or(Code::INVALID_VALUE)?.flags)
    }
}
