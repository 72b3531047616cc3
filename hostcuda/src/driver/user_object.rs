//! Objects of the program that graphs keep.

use crate::boundary::{Out, exports};
use crate::code::{Code, Result};
use crate::graph::{self, Kept, change_object, create_object, take_references};
use crate::handle::Handle;
use crate::work::{Function, User};
use cuda_abi::{GRAPH_USER_OBJECT_MOVE, USER_OBJECT_NO_DESTRUCTOR_SYNC};

/// The reference counts that functions accept.
fn check(count: u32) -> Result<i64> {
    if count == 0 || i32::try_from(count).is_err() { Err(Code::INVALID_VALUE) } else { Ok(count.into()) }
}

exports! { driver, inside;
    /// The flag is mandatory: no thread can wait for the destructor.
    fn cuUserObjectCreate = cudaUserObjectCreate(to: Out<Handle>, pointer: User, destroy: Option<Function>, count: u32, flags: u32) {
        check(count)?;
        let destroy = destroy.filter(|_| flags == USER_OBJECT_NO_DESTRUCTOR_SYNC).ok_or(Code::INVALID_VALUE)?;
        to.check()?.set(create_object(pointer, destroy, count)?)
    }
    fn cuUserObjectRetain = cudaUserObjectRetain(object: Handle, count: u32) { change_object(object, check(count)?) }
    fn cuUserObjectRelease = cudaUserObjectRelease(object: Handle, count: u32) { change_object(object, -check(count)?) }
    /// With the flag, the caller's references become the graph's.
    fn cuGraphRetainUserObject = cudaGraphRetainUserObject(handle: Handle, object: Handle, count: u32, flags: u32) {
        let added = check(count)?;
        if flags & !GRAPH_USER_OBJECT_MOVE != 0 {
            return Err(Code::INVALID_VALUE);
        }
        graph::with(handle, |graph| {
            change_object(object, added)?;
            graph.objects.push(Kept { object, count });
            Ok(())
        })?;
        if flags == GRAPH_USER_OBJECT_MOVE { change_object(object, -added) } else { Ok(()) }
    }
    /// References that the graph does not have are ignored, as the driver does.
    fn cuGraphReleaseUserObject = cudaGraphReleaseUserObject(handle: Handle, object: Handle, count: u32) {
        check(count)?;
        // A destructor may call any function, so the references are dropped when the graph is unlocked.
        let taken = graph::with(handle, |graph| Ok(take_references(&mut graph.objects, object, count)))?;
        if taken.is_empty() { Err(Code::INVALID_VALUE) } else { Ok(()) }
    }
}
