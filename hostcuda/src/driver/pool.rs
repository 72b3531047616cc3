//! Memory pools.

use crate::boundary::{Out, StreamArg, exports, list};
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::pool::{Location, PINNED, Props};
use crate::{capture, device, memory, pool};

/// CUmemAccessDesc.
#[repr(C)]
#[derive(Clone, Copy)]
struct Access {
    location: Location,
    flags: i32,
}

/// Refuses an unknown device number, with the code that pools use.
fn given(device: i32) -> Result<i32> {
    device::check(device).map_err(|_| Code::INVALID_VALUE)
}

/// Returns the device of a location, for memory that does not move.
fn device_of(location: Out<Location>, kind: i32) -> Result<i32> {
    if kind != PINNED {
        return Err(Code::NOT_SUPPORTED);
    }
    location.get()?.device()?.ok_or(Code::NOT_SUPPORTED)
}

exports! { driver, inside;
    fn cuDeviceGetDefaultMemPool = cudaDeviceGetDefaultMemPool(to: Out<Handle>, number: i32) { to.check()?.set(pool::default_of(given(number)?)?) }
    fn cuDeviceGetMemPool = cudaDeviceGetMemPool(to: Out<Handle>, number: i32) { to.check()?.set(pool::current_of(given(number)?)?) }
    fn cuDeviceSetMemPool = cudaDeviceSetMemPool(number: i32, handle: Handle) { pool::set_current(given(number)?, handle) }
    fn cuMemGetDefaultMemPool = cudaMemGetDefaultMemPool(to: Out<Handle>, location: Out<Location>, kind: i32) {
        to.check()?.set(pool::default_of(device_of(location, kind)?)?)
    }
    fn cuMemGetMemPool = cudaMemGetMemPool(to: Out<Handle>, location: Out<Location>, kind: i32) {
        to.check()?.set(pool::current_of(device_of(location, kind)?)?)
    }
    fn cuMemSetMemPool = cudaMemSetMemPool(location: Out<Location>, kind: i32, handle: Handle) {
        pool::set_current(device_of(location, kind)?, handle)
    }
    fn cuMemPoolCreate = cudaMemPoolCreate(to: Out<Handle>, props: Out<Props>) { to.check()?.set(pool::create(props.get()?)?) }
    fn cuMemPoolDestroy = cudaMemPoolDestroy(handle: Handle) { pool::destroy(handle) }
    fn cuMemPoolTrimTo = cudaMemPoolTrimTo(handle: Handle, keep: usize) {
        pool::get(handle)?.trim(keep as u64);
        Ok(())
    }
    fn cuMemPoolGetAttribute = cudaMemPoolGetAttribute(handle: Handle, number: u32, to: Out<u64>) {
        capture::check_unsafe_call()?;
        let (value, is_int) = pool::get(handle)?.attribute(number)?;
        if is_int { to.narrow().set(value as u32) } else { to.set(value) }
    }
    fn cuMemPoolSetAttribute = cudaMemPoolSetAttribute(handle: Handle, number: u32, value: Out<u64>) {
        capture::check_unsafe_call()?;
        let read = |is_int| if is_int { value.narrow().get().map(u64::from) } else { value.get() };
        pool::get(handle)?.set_attribute(number, read)
    }
    fn cuMemPoolGetAccess = cudaMemPoolGetAccess(to: Out<i32>, handle: Handle, location: Out<Location>) {
        to.check()?.set(pool::get(handle)?.access(location.get()?)?)
    }
    fn cuMemPoolSetAccess = cudaMemPoolSetAccess(handle: Handle, accesses: Out<Access>, count: usize) {
        let pool = pool::get(handle)?;
        let accesses = list::read(accesses, count)?.into_iter().map(|Access { location, flags }| (location, flags));
        pool.set_access(&accesses.collect::<Vec<_>>())
    }
}

exports! { driver;
    fn cuMemAllocFromPoolAsync(to: Out<usize>, len: usize, handle: Handle, stream: StreamArg) on stream {
        to.check()?.set(memory::allocate_of(handle, len, stream.get()?)?)
    }
}
