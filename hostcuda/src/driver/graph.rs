//! Forms of instantiation that only the driver API has.

use crate::both::graph::make;
use crate::boundary::{Out, exports};
use crate::handle::Handle;
use std::ffi::c_void;

exports! { driver;
    fn cuGraphInstantiate(to: Out<Handle>, handle: Handle, error_node: Out<usize>, _log: *mut c_void, _len: usize) {
        error_node.offer(0);
        make(to, handle)
    }
    fn cuGraphInstantiate_v2(to: Out<Handle>, handle: Handle, error_node: Out<usize>, _log: *mut c_void, _len: usize) {
        error_node.offer(0);
        make(to, handle)
    }
}
