//! Memory: to get it, to give it back, and what can be asked of it.

use crate::boundary::{Out, StreamArg, exports};
use crate::code::{Code, Result};
use crate::memory::{self, Kind};
use crate::{context, device};
use std::ffi::c_void;

/// Flags of page-locked memory: portable, mapped, write-combined; for memory of the program's also I/O and read-only.
const HOST_FLAGS: u32 = 7;
const REGISTER_FLAGS: u32 = 15;
/// Bytes to which rows of pitched memory are brought.
const PITCH: usize = 512;

/// Page-locked memory.
pub(crate) fn allocate_host(to: Out<usize>, len: usize, flags: u32) -> Result {
    if flags & !HOST_FLAGS != 0 {
        return Err(Code::INVALID_VALUE);
    }
    to.check()?.set(memory::allocate(len, Kind::Host, flags)?)
}

/// Takes the program's memory as page-locked.
pub(crate) fn register(start: usize, len: usize, flags: u32) -> Result {
    if flags & !REGISTER_FLAGS != 0 { Err(Code::INVALID_VALUE) } else { memory::register(start, len, flags) }
}

/// The device's address of page-locked memory, which is the memory's own.
pub(crate) fn device_pointer(to: Out<usize>, address: usize, flags: u32) -> Result {
    let block = memory::find(address).filter(|block| flags == 0 && block.kind != Kind::Device);
    block.ok_or(Code::INVALID_VALUE)?;
    to.set(address)
}

pub(crate) fn host_flags(to: Out<u32>, address: usize) -> Result {
    let block = memory::find(address).filter(|block| matches!(block.kind, Kind::Host | Kind::Registered));
    to.check()?.set(block.ok_or(Code::INVALID_VALUE)?.flags)
}

/// Rows of memory, and the bytes from one to the next.
pub(crate) fn allocate_rows(to: Out<usize>, pitch: Out<usize>, width: usize, height: usize) -> Result {
    to.check()?;
    pitch.check()?;
    let bytes = width.checked_next_multiple_of(PITCH).ok_or(Code::OUT_OF_MEMORY)?;
    let len = bytes.checked_mul(height).ok_or(Code::OUT_OF_MEMORY)?;
    to.set(memory::allocate(len, Kind::Device, 0)?)?;
    pitch.set(bytes)
}

/// Memory that is there from the stream's present end on; it is there at once.
pub(crate) fn allocate_later(to: Out<usize>, len: usize, stream: StreamArg) -> Result {
    to.check()?;
    let stream = stream.get()?;
    if stream.capture().is_some() {
        return Err(Code::STREAM_CAPTURE_UNSUPPORTED);
    }
    to.set(memory::allocate_in(stream.context()?, len, Kind::Device, 0)?)
}

/// One attribute of a pointer by CUDA's number. `None`: the pointer is not of a listed block.
fn attribute(data: Out<u64>, number: u32, address: usize) -> Result<Option<()>> {
    let block = memory::find(address);
    let known = |value: fn(&memory::Block) -> u64| block.as_ref().map(value);
    let is_host = |block: &memory::Block| matches!(block.kind, Kind::Host | Kind::Registered);
    let wide = matches!(number, 1 | 3 | 4 | 7 | 11 | 12 | 17);
    let value = match number {
        1 => known(|block| block.context.handle() as u64), // CONTEXT
        2 => block.as_ref().map(|block| if is_host(block) { 1 } else { 2 }), // MEMORY_TYPE
        3 => block.map(|_| address as u64),                // DEVICE_POINTER
        4 => block.filter(|block| block.kind != Kind::Device).map(|_| address as u64), // HOST_POINTER
        7 => known(|block| block.id),                      // BUFFER_ID
        8 => known(|block| u64::from(block.kind == Kind::Managed)), // IS_MANAGED
        9 => known(|block| block.context.device as u64),   // DEVICE_ORDINAL
        11 => known(|block| block.start as u64),           // RANGE_START_ADDR
        12 => known(|block| block.len as u64),             // RANGE_SIZE
        13 => Some(u64::from(block.is_some())),            // MAPPED
        6 | 10 | 14 | 15 | 16 | 17 => known(|_| 0),        // options that no block has
        _ => return Err(Code::INVALID_VALUE),
    };
    if let Some(value) = value {
        if wide { data.set(value)? } else { data.narrow().set(value as u32)? }
    }
    Ok(value.map(drop))
}

exports! { driver;
    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) {
        context::current()?;
        free.check()?;
        let (all, available) = device::memory();
        total.set(all)?;
        free.set(available)
    }
    fn cuMemAlloc_v2(to: Out<usize>, len: usize) {
        to.check()?.set(memory::allocate(len, Kind::Device, 0)?)
    }
    fn cuMemAllocPitch_v2(to: Out<usize>, pitch: Out<usize>, width: usize, height: usize, element: u32) {
        if !matches!(element, 4 | 8 | 16) {
            return Err(Code::INVALID_VALUE);
        }
        allocate_rows(to, pitch, width, height)
    }
    fn cuMemAllocManaged(to: Out<usize>, len: usize, flags: u32) {
        if !matches!(flags, 1 | 2) {
            return Err(Code::INVALID_VALUE);
        }
        to.check()?.set(memory::allocate(len, Kind::Managed, flags)?)
    }
    fn cuMemFree_v2(start: usize) {
        memory::free(start, &[Kind::Device, Kind::Managed])
    }
    fn cuMemAllocHost_v2(to: Out<usize>, len: usize) {
        allocate_host(to, len, 0)
    }
    fn cuMemHostAlloc(to: Out<usize>, len: usize, flags: u32) {
        allocate_host(to, len, flags)
    }
    fn cuMemFreeHost(start: usize) {
        memory::free(start, &[Kind::Host])
    }
    fn cuMemHostRegister_v2(start: usize, len: usize, flags: u32) {
        register(start, len, flags)
    }
    fn cuMemHostRegister(start: usize, len: usize, flags: u32) {
        register(start, len, flags)
    }
    fn cuMemHostUnregister(start: usize) {
        memory::unregister(start)
    }
    fn cuMemHostGetDevicePointer_v2(to: Out<usize>, address: usize, flags: u32) {
        device_pointer(to, address, flags)
    }
    fn cuMemHostGetFlags(to: Out<u32>, address: usize) {
        host_flags(to, address)
    }
    fn cuMemAllocAsync | cuMemAllocAsync_ptsz(to: Out<usize>, len: usize, stream: StreamArg) on stream {
        allocate_later(to, len, stream)
    }
    fn cuMemFreeAsync | cuMemFreeAsync_ptsz(start: usize, stream: StreamArg) on stream {
        memory::free_later(start, stream.get()?)
    }
    fn cuMemGetAddressRange_v2(start: Out<usize>, len: Out<usize>, address: usize) {
        let block = memory::find(address).ok_or(Code::NOT_FOUND)?;
        start.offer(block.start);
        len.offer(block.len);
        Ok(())
    }
    fn cuPointerGetAttribute(data: Out<u64>, number: u32, address: usize) {
        attribute(data.check()?, number, address)?.ok_or(Code::INVALID_VALUE)
    }
    /// What is not known of a pointer is zero here.
    fn cuPointerGetAttributes(count: u32, numbers: Out<u32>, data: Out<Out<u64>>, address: usize) {
        for at in 0..count as usize {
            let (number, to) = (numbers.at(at).get()?, data.at(at).get()?);
            if attribute(to.check()?, number, address)?.is_none() {
                if matches!(number, 1 | 3 | 4 | 7 | 11 | 12 | 17) { to.set(0)? } else { to.narrow().set(0)? }
            }
        }
        Ok(())
    }
    fn cuPointerSetAttribute(_value: *const c_void, number: u32, address: usize) {
        if number == 6 { memory::find(address).map(drop).ok_or(Code::INVALID_VALUE) } else { Err(Code::INVALID_VALUE) }
    }
}
