//! Allocating, registering, freeing and sharing memory.

use crate::block::{Block, Kind};
use crate::boundary::{Out, StreamArg, exports};
use crate::code::{Code, Result};
use crate::{block, context, device, ipc_memory, memory};
use cuda_abi::IpcHandle;

/// Flags of page-locked memory: portable, mapped, write-combined. Registered memory also has I/O and read-only.
const HOST_FLAGS: u32 = 7;
const REGISTER_FLAGS: u32 = 15;
/// The row pitch is a multiple of this many bytes.
const PITCH: usize = 512;

/// Allocates page-locked memory.
fn allocate_host(to: Out<usize>, len: usize, flags: u32) -> Result {
    if flags & !HOST_FLAGS != 0 {
        return Err(Code::INVALID_VALUE);
    }
    to.check()?.set(memory::allocate(len, Kind::Host, flags)?)
}

/// Registers the program's memory as page-locked.
fn register(start: usize, len: usize, flags: u32) -> Result {
    if flags & !REGISTER_FLAGS != 0 {
        return Err(Code::INVALID_VALUE);
    }
    block::register(context::current()?, start, len, flags)
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
    fn cuMemFree_v2 = cudaFree(start: usize) { memory::free(start, &[Kind::Device, Kind::Managed]) }
    fn cuMemFreeHost = cudaFreeHost(start: usize) { memory::free(start, &[Kind::Host]) }
    fn cuMemFreeAsync = cudaFreeAsync(start: usize, stream: StreamArg) on stream { memory::free_later(start, stream.get()?) }
    fn cuMemHostRegister_v2 = cudaHostRegister(start: usize, len: usize, flags: u32) { register(start, len, flags) }
    fn cuMemHostUnregister = cudaHostUnregister(start: usize) { memory::unregister(start) }
    /// Page-locked memory has the same address on the device.
    fn cuMemHostGetDevicePointer_v2 = cudaHostGetDevicePointer(to: Out<usize>, address: usize, flags: u32) {
        let block = block::find(address).filter(|block| flags == 0 && !block.is_device());
        block.ok_or(Code::INVALID_VALUE)?;
        to.set(address)
    }
    fn cuMemHostGetFlags = cudaHostGetFlags(to: Out<u32>, address: usize) {
        let block = block::find(address).filter(block::Block::is_host);
        to.check()?.set(block.ok_or(Code::INVALID_VALUE)?.flags)
    }
    fn cuIpcGetMemHandle = cudaIpcGetMemHandle(to: Out<[u8; 64]>, address: usize) { to.check()?.set(ipc_memory::export(address)?) }
    fn cuIpcOpenMemHandle_v2 = cudaIpcOpenMemHandle(to: Out<usize>, handle: IpcHandle, flags: u32) {
        to.check()?.set(ipc_memory::open(&handle.0, flags)?)
    }
    fn cuIpcCloseMemHandle = cudaIpcCloseMemHandle(start: usize) { ipc_memory::close(start) }
}

/// Writes one attribute of a pointer, by CUDA's number. Returns `None` if the pointer is not in a listed block.
fn attribute(data: Out<u64>, number: u32, address: usize) -> Result<Option<()>> {
    let block = block::find(address);
    let known = |value: fn(&Block) -> u64| block.as_ref().map(value);
    let wide = matches!(number, 1 | 3 | 4 | 7 | 11 | 12 | 17);
    let value = match number {
        1 => known(|block| block.context.handle() as u64), // CONTEXT
        2 => block.as_ref().map(|block| if block.is_host() { 1 } else { 2 }), // MEMORY_TYPE
        3 => block.map(|_| address as u64),                // DEVICE_POINTER
        4 => block.filter(|block| !block.is_device()).map(|_| address as u64), // HOST_POINTER
        7 => known(|block| block.id),                      // BUFFER_ID
        8 => known(|block| u64::from(block.is_managed())), // IS_MANAGED
        9 => known(|block| block.context.device as u64),   // DEVICE_ORDINAL
        11 => known(|block| block.start as u64),           // RANGE_START_ADDR
        12 => known(|block| block.len as u64),             // RANGE_SIZE
        13 => Some(u64::from(block.is_some())),            // MAPPED
        17 => known(|block| block.pool.and_then(|pool| pool.handle.get().copied()).unwrap_or(0) as u64), // MEMPOOL_HANDLE
        _ => return Err(Code::INVALID_VALUE),
    };
    if let Some(value) = value {
        if wide { data.set(value)? } else { data.narrow().set(value as u32)? }
    }
    Ok(value.map(drop))
}

exports! { driver;
    fn cuMemAlloc_v2(to: Out<usize>, len: usize) { to.check()?.set(memory::allocate(len, Kind::Device, 0)?) }
    fn cuMemAllocPitch_v2(to: Out<usize>, pitch: Out<usize>, width: usize, height: usize, element: u32) {
        if !matches!(element, 4 | 8 | 16) {
            return Err(Code::INVALID_VALUE);
        }
        to.check()?;
        pitch.check()?;
        let bytes = width.checked_next_multiple_of(PITCH).ok_or(Code::OUT_OF_MEMORY)?;
        let len = bytes.checked_mul(height).ok_or(Code::OUT_OF_MEMORY)?;
        to.set(memory::allocate(len, Kind::Device, 0)?)?;
        pitch.set(bytes)
    }
    fn cuMemAllocHost_v2(to: Out<usize>, len: usize) { allocate_host(to, len, 0) }
    fn cuMemHostAlloc(to: Out<usize>, len: usize, flags: u32) { allocate_host(to, len, flags) }
    fn cuMemHostRegister(start: usize, len: usize, flags: u32) { register(start, len, flags) }
    fn cuMemAllocAsync(to: Out<usize>, len: usize, stream: StreamArg) on stream { to.check()?.set(memory::allocate_later(None, len, stream.get()?)?) }
    fn cuMemGetAddressRange_v2(start: Out<usize>, len: Out<usize>, address: usize) {
        let block = block::find(address).ok_or(Code::NOT_FOUND)?;
        start.offer(block.start);
        len.offer(block.len);
        Ok(())
    }
    fn cuPointerGetAttribute(data: Out<u64>, number: u32, address: usize) { attribute(data.check()?, number, address)?.ok_or(Code::INVALID_VALUE) }
    /// Unknown attributes of a pointer are zero here.
    fn cuPointerGetAttributes(count: u32, numbers: Out<u32>, data: Out<Out<u64>>, address: usize) {
        for at in 0..count as usize {
            let (number, to) = (numbers.at(at).get()?, data.at(at).get()?);
            if attribute(to.check()?, number, address)?.is_none() {
                if matches!(number, 1 | 3 | 4 | 7 | 11 | 12 | 17) { to.set(0)? } else { to.narrow().set(0)? }
            }
        }
        Ok(())
    }
    fn cuIpcOpenMemHandle(to: Out<usize>, handle: IpcHandle, flags: u32) { to.check()?.set(ipc_memory::open(&handle.0, flags)?) }
}
