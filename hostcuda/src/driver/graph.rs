//! Graphs that a capture made.

use crate::boundary::{Out, StreamArg, exports};
use crate::code::{Code, Result};
use crate::graph;
use crate::table::Handle;
use std::ffi::c_void;

/// What cuGraphInstantiateWithParams is given; the rest of it is for its own results.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Parameters {
    flags: u64,
    upload: usize,
    error_node: usize,
    result: i32,
}

/// Makes an executable graph; the parameters tell that it went well.
pub(crate) fn instantiate(to: Out<Handle>, handle: Handle, parameters: Out<Parameters>) -> Result {
    to.check()?;
    let given = parameters.get()?;
    to.set(graph::instantiate(handle)?)?;
    parameters.set(Parameters { error_node: 0, result: 0, ..given })
}

exports! { driver;
    fn cuGraphInstantiateWithFlags(to: Out<Handle>, handle: Handle, _flags: u64) {
        to.check()?.set(graph::instantiate(handle)?)
    }
    fn cuGraphInstantiate(to: Out<Handle>, handle: Handle, error_node: Out<usize>, _log: *mut c_void, _len: usize) {
        error_node.offer(0);
        to.check()?.set(graph::instantiate(handle)?)
    }
    fn cuGraphInstantiate_v2(to: Out<Handle>, handle: Handle, error_node: Out<usize>, _log: *mut c_void, _len: usize) {
        error_node.offer(0);
        to.check()?.set(graph::instantiate(handle)?)
    }
    fn cuGraphInstantiateWithParams | cuGraphInstantiateWithParams_ptsz(to: Out<Handle>, handle: Handle, parameters: Out<Parameters>, stream: StreamArg) on stream {
        let _ = stream;
        instantiate(to, handle, parameters)
    }
    fn cuGraphLaunch | cuGraphLaunch_ptsz(executable: Handle, stream: StreamArg) on stream {
        graph::launch(executable, stream.get()?)
    }
    fn cuGraphUpload | cuGraphUpload_ptsz(executable: Handle, stream: StreamArg) on stream {
        stream.get()?;
        graph::check(executable)
    }
    fn cuGraphDestroy(handle: Handle) {
        graph::destroy(handle)
    }
    fn cuGraphExecDestroy(handle: Handle) {
        graph::destroy_executable(handle)
    }
    /// Tells how many nodes there are; they have no handles of their own.
    fn cuGraphGetNodes(handle: Handle, nodes: *mut c_void, count: Out<usize>) {
        count.check()?;
        if nodes.is_null() { count.set(graph::len(handle)?) } else { Err(Code::NOT_SUPPORTED) }
    }
}
