//! Forms of instantiation and update that only the driver API has, and captures into graphs.

use crate::both::exec::update;
use crate::both::graph::make;
use crate::boundary::{Out, exports};
use crate::handle::Handle;
use std::ffi::c_void;

exports! { driver;
    fn cuGraphInstantiate(to: Out<Handle>, handle: Handle, error_node: Out<usize>, _log: *mut c_void, _len: usize) {
        error_node.offer(0);
        make(to, handle, 0)
    }
    fn cuGraphInstantiate_v2(to: Out<Handle>, handle: Handle, error_node: Out<usize>, _log: *mut c_void, _len: usize) {
        error_node.offer(0);
        make(to, handle, 0)
    }
    fn cuGraphExecUpdate(executable: Handle, handle: Handle, node: Out<Handle>, result: Out<i32>) {
        let (found, code) = update(executable, handle)?;
        node.offer(found.node);
        result.offer(found.result);
        code
    }
}
