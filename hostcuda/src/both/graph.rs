//! Graphs that a capture made.

use crate::boundary::{Out, StreamArg, exports};
use crate::code::{Code, Result};
use crate::graph::{self, EXECUTABLE, GRAPHS};
use crate::graph_launch::launch;
use crate::handle::Handle;
use std::ffi::c_void;

/// CUDA_GRAPH_INSTANTIATE_PARAMS. All but the flags is for results.
#[repr(C)]
#[derive(Clone, Copy)]
struct InstantiateParams {
    flags: u64,
    upload: usize,
    error_node: usize,
    result: i32,
}

/// Makes an executable graph.
pub(crate) fn make(to: Out<Handle>, handle: Handle) -> Result {
    to.check()?.set(graph::instantiate(handle)?)
}

exports! { driver, inside;
    fn cuGraphInstantiateWithFlags = cudaGraphInstantiateWithFlags(to: Out<Handle>, handle: Handle, _flags: u64) {
        make(to, handle)
    }
    /// The result in the parameters says that it went well.
    fn cuGraphInstantiateWithParams | cuGraphInstantiateWithParams_ptsz
        = cudaGraphInstantiateWithParams | cudaGraphInstantiateWithParams_ptsz
        (to: Out<Handle>, handle: Handle, params: Out<InstantiateParams>) at _stream {
        let given = params.get()?;
        make(to, handle)?;
        params.set(InstantiateParams { error_node: 0, result: 0, ..given })
    }
    fn cuGraphLaunch | cuGraphLaunch_ptsz = cudaGraphLaunch | cudaGraphLaunch_ptsz
        (executable: Handle, stream: StreamArg) on stream {
        launch(executable, stream.get()?)
    }
    fn cuGraphUpload | cuGraphUpload_ptsz = cudaGraphUpload | cudaGraphUpload_ptsz
        (executable: Handle, stream: StreamArg) on stream {
        stream.get()?;
        graph::get(&EXECUTABLE, executable).map(drop)
    }
    fn cuGraphDestroy = cudaGraphDestroy(handle: Handle) {
        graph::destroy(handle)
    }
    fn cuGraphExecDestroy = cudaGraphExecDestroy(handle: Handle) {
        graph::destroy_executable(handle)
    }
    /// Reports how many nodes there are; they have no handles of their own.
    fn cuGraphGetNodes = cudaGraphGetNodes(handle: Handle, nodes: *mut c_void, count: Out<usize>) {
        count.check()?;
        if nodes.is_null() { count.set(graph::get(&GRAPHS, handle)?.nodes.len()) } else { Err(Code::NOT_SUPPORTED) }
    }
}
