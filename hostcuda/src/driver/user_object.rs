//! User objects that graphs reference, and graph memory.

use crate::boundary::{Out, exports};
use crate::code::{Code, Result};
use crate::graph::{Kept, create_object, release_object, retain_object};
use crate::handle::Handle;
use crate::work::{Function, User};
use crate::{device, graph};

/// The flag that no thread can wait for the destructor. It is required.
const NO_DESTRUCTOR_SYNC: u32 = 1;
/// The flag that moves the caller's references to the graph.
const MOVE: u32 = 1;

/// Removes references from a graph.
fn release_from(handle: Handle, object: Handle, count: u32) -> Result {
    // Released after the graph is unlocked, because a destructor may call anything.
    let taken = graph::with(handle, |graph| {
        let held =
            graph.objects.iter().filter(|kept| kept.object == object).map(|kept| u64::from(kept.count)).sum::<u64>();
        if count == 0 || held == 0 {
            return Err(Code::INVALID_VALUE);
        }
        // Like the driver, ignores references that the graph does not hold.
        let count = u64::from(count).min(held) as u32;
        let mut left = count;
        for kept in graph.objects.iter_mut().filter(|kept| kept.object == object) {
            let part = kept.count.min(left);
            kept.count -= part;
            left -= part;
        }
        graph.objects.retain(|kept| kept.count > 0);
        Ok(Kept { object, count })
    })?;
    drop(taken);
    Ok(())
}

exports! { driver, inside;
    fn cuUserObjectCreate = cudaUserObjectCreate(to: Out<Handle>, pointer: User, destroy: Option<Function>, count: u32, flags: u32) {
        let destroy = destroy.filter(|_| flags == NO_DESTRUCTOR_SYNC).ok_or(Code::INVALID_VALUE)?;
        to.check()?.set(create_object(pointer, destroy, count)?)
    }
    fn cuUserObjectRetain = cudaUserObjectRetain(object: Handle, count: u32) { retain_object(object, count) }
    fn cuUserObjectRelease = cudaUserObjectRelease(object: Handle, count: u32) { release_object(object, count) }
    fn cuGraphRetainUserObject = cudaGraphRetainUserObject(handle: Handle, object: Handle, count: u32, flags: u32) {
        if flags & !MOVE != 0 || count == 0 || i32::try_from(count).is_err() {
            return Err(Code::INVALID_VALUE);
        }
        graph::with(handle, |graph| {
            retain_object(object, count)?;
            graph.objects.push(Kept { object, count });
            Ok(())
        })?;
        if flags == MOVE { release_object(object, count) } else { Ok(()) }
    }
    fn cuGraphReleaseUserObject = cudaGraphReleaseUserObject(handle: Handle, object: Handle, count: u32) { release_from(handle, object, count) }
    fn cuDeviceGetGraphMemAttribute = cudaDeviceGetGraphMemAttribute(number: i32, attribute: u32, to: Out<u64>) {
        to.check()?.set(graph::attribute(number, attribute)?)
    }
    fn cuDeviceSetGraphMemAttribute = cudaDeviceSetGraphMemAttribute(number: i32, attribute: u32, value: Out<u64>) {
        graph::set_attribute(device::check(number)?, attribute, value.get()?)
    }
    fn cuDeviceGraphMemTrim = cudaDeviceGraphMemTrim(number: i32) {
        graph::trim(device::check(number)?);
        Ok(())
    }
}
