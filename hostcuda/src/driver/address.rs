//! Memory whose addresses and backing are made apart.

use crate::address;
use crate::backing::{self, GRANULARITY, Props};
use crate::boundary::{Out, exports, list};
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::pool::Location;

/// CUmemAccessDesc.
#[repr(C)]
#[derive(Clone, Copy)]
struct Access {
    location: Location,
    flags: i32,
}

/// Refuses flags, of which these calls have none.
fn check(flags: u64) -> Result {
    if flags == 0 { Ok(()) } else { Err(Code::INVALID_VALUE) }
}

exports! { driver;
    fn cuMemGetAllocationGranularity(to: Out<usize>, props: Out<Props>, option: u32) {
        to.check()?;
        props.get()?.device()?;
        if option > 1 { Err(Code::INVALID_VALUE) } else { to.set(GRANULARITY) }
    }
    fn cuMemAddressReserve(to: Out<usize>, len: usize, alignment: usize, wish: usize, flags: u64) {
        to.check()?;
        check(flags)?;
        to.set(address::reserve(len, alignment, wish)?)
    }
    fn cuMemAddressFree(start: usize, len: usize) {
        address::free(start, len)
    }
    fn cuMemCreate(to: Out<Handle>, len: usize, props: Out<Props>, flags: u64) {
        to.check()?;
        check(flags)?;
        to.set(backing::create(len, props.get()?)?)
    }
    fn cuMemRelease(handle: Handle) {
        backing::release(handle)
    }
    fn cuMemMap(start: usize, len: usize, offset: usize, handle: Handle, flags: u64) {
        check(flags)?;
        address::map(start, len, offset, backing::get(handle)?)
    }
    fn cuMemUnmap(start: usize, len: usize) {
        address::unmap(start, len)
    }
    fn cuMemSetAccess(start: usize, len: usize, accesses: Out<Access>, count: usize) {
        if count == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let accesses = list::read(accesses, count)?.into_iter().map(|Access { location, flags }| (location, flags));
        address::set_access(start, len, &accesses.collect::<Vec<_>>())
    }
    fn cuMemGetAccess(to: Out<u64>, location: Out<Location>, address: usize) {
        to.check()?.set(address::access(address, location.get()?)? as u64)
    }
    fn cuMemRetainAllocationHandle(to: Out<Handle>, address: usize) {
        to.check()?.set(backing::retain(&address::backing_at(address)?))
    }
    fn cuMemGetAllocationPropertiesFromHandle(to: Out<Props>, handle: Handle) {
        to.check()?.set(backing::get(handle)?.props)
    }
    fn cuMemExportToShareableHandle(to: Out<i32>, handle: Handle, form: i32, flags: u64) {
        to.check()?;
        check(flags)?;
        to.set(backing::export(handle, form)?)
    }
    fn cuMemImportFromShareableHandle(to: Out<Handle>, file: usize, form: i32) {
        to.check()?;
        to.set(backing::import(file as i32, form)?)
    }
}
