//! Graphs that a capture made.

use crate::boundary::{Out, StreamArg, exports};
use crate::code::Code;
use crate::driver::graph::{Parameters, instantiate};
use crate::graph;
use crate::table::Handle;
use std::ffi::c_void;

exports! { inside;
    fn cudaGraphInstantiate(to: Out<Handle>, handle: Handle, _flags: u64) {
        to.check()?.set(graph::instantiate(handle)?)
    }
    fn cudaGraphInstantiateWithFlags(to: Out<Handle>, handle: Handle, _flags: u64) {
        to.check()?.set(graph::instantiate(handle)?)
    }
    fn cudaGraphInstantiateWithParams | cudaGraphInstantiateWithParams_ptsz(to: Out<Handle>, handle: Handle, parameters: Out<Parameters>) at stream {
        let _ = stream;
        instantiate(to, handle, parameters)
    }
    fn cudaGraphLaunch | cudaGraphLaunch_ptsz(executable: Handle, stream: StreamArg) on stream {
        graph::launch(executable, stream.get()?)
    }
    fn cudaGraphUpload | cudaGraphUpload_ptsz(executable: Handle, stream: StreamArg) on stream {
        stream.get()?;
        graph::check(executable)
    }
    fn cudaGraphDestroy(handle: Handle) {
        graph::destroy(handle)
    }
    fn cudaGraphExecDestroy(handle: Handle) {
        graph::destroy_executable(handle)
    }
    /// Tells how many nodes there are; they have no handles of their own.
    fn cudaGraphGetNodes(handle: Handle, nodes: *mut c_void, count: Out<usize>) {
        count.check()?;
        if nodes.is_null() { count.set(graph::len(handle)?) } else { Err(Code::NOT_SUPPORTED) }
    }
}
