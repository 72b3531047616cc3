//! Memory pools.

use crate::boundary::{Out, StreamArg, exports, list};
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::pool::{Location, Props};
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

exports! { driver, inside;
    fn cuDeviceGetDefaultMemPool = cudaDeviceGetDefaultMemPool(to: Out<Handle>, number: i32) { to.check()?.set(pool::default_of(given(number)?)?) }
    fn cuDeviceGetMemPool = cudaDeviceGetMemPool(to: Out<Handle>, number: i32) { to.check()?.set(pool::current_of(given(number)?)?) }
    fn cuDeviceSetMemPool = cudaDeviceSetMemPool(number: i32, handle: Handle) { pool::set_current(given(number)?, handle) }
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
    fn cuMemPoolSetAccess = cudaMemPoolSetAccess(handle: Handle, accesses: Out<Access>, count: usize) {
        let pool = pool::get(handle)?;
        list::read(accesses, count)?.into_iter().try_for_each(|access| pool.check_access(access.location, access.flags))
    }
}

exports! { driver;
    fn cuMemAllocFromPoolAsync(to: Out<usize>, len: usize, handle: Handle, stream: StreamArg) on stream {
        to.check()?.set(memory::allocate_later(Some(handle), len, stream.get()?)?)
    }
}
