//! Whole graphs.

use crate::boundary::{Out, StreamArg, exports, list};
use crate::code::{Code, Result};
use crate::driver::exec::update;
use crate::graph;
use crate::graph::Exec;
use crate::graph_launch::launch;
use crate::handle::Handle;
use cuda_abi::{GRAPH_AUTO_FREE_ON_LAUNCH, GRAPH_DEVICE_LAUNCH, GRAPH_UPLOAD, GRAPH_USE_NODE_PRIORITY};
use std::ffi::c_void;

/// CUDA_GRAPH_INSTANTIATE_PARAMS. All fields except the flags and the stream are results.
#[repr(C)]
#[derive(Clone, Copy)]
struct InstantiateParams {
    flags: u64,
    upload: usize,
    error_node: usize,
    result: i32,
}

/// Instantiation results, as CUDA numbers them. The last one: no node can be launched from a device.
const FAILED: i32 = 1;
const INVALID_STRUCTURE: i32 = 2;
const NODE_NOT_SUPPORTED: i32 = 3;

/// Creates an executable graph.
fn make(to: Out<Handle>, handle: Handle, flags: u64) -> Result {
    to.check()?.set(graph::instantiate(handle, flags)?)
}

/// Creates an executable graph as the structure says, and writes the result there.
fn instantiate(to: Out<Handle>, handle: Handle, params: Out<InstantiateParams>) -> Result {
    let given = params.get()?;
    let made = make(to, handle, given.flags);
    let sound = || graph::with(handle, |graph| Ok(graph.order().is_some())).unwrap_or(true);
    let result = match made {
        Ok(()) => 0,
        Err(_) if !sound() => INVALID_STRUCTURE,
        Err(_) if given.flags & !GRAPH_USE_NODE_PRIORITY == GRAPH_DEVICE_LAUNCH => NODE_NOT_SUPPORTED,
        Err(_) => FAILED,
    };
    params.set(InstantiateParams { error_node: 0, result, ..given })?;
    made
}

exports! { driver, inside;
    fn cuGraphCreate = cudaGraphCreate(to: Out<Handle>, flags: u32) {
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        to.check()?.set(graph::create()?)
    }
    fn cuGraphDestroy = cudaGraphDestroy(handle: Handle) { graph::destroy(handle) }
    fn cuGraphClone = cudaGraphClone(to: Out<Handle>, handle: Handle) { to.check()?.set(graph::copy(handle, false)?) }
    fn cuGraphNodeFindInClone = cudaGraphNodeFindInClone(to: Out<Handle>, node: Handle, clone: Handle) {
        to.check()?.set(graph::find_in_clone(node, clone)?)
    }
    fn cuGraphGetNodes = cudaGraphGetNodes(handle: Handle, nodes: Out<Handle>, count: Out<usize>) {
        let all = graph::with(handle, |graph| Ok(graph.nodes.values().map(|node| [node.handle]).collect::<Vec<_>>()))?;
        list::write([nodes], count, &all)
    }
    fn cuGraphGetRootNodes = cudaGraphGetRootNodes(handle: Handle, nodes: Out<Handle>, count: Out<usize>) {
        let roots = graph::with(handle, |graph| {
            let roots = graph.nodes.values().filter(|node| node.behind.is_empty());
            Ok(roots.map(|node| [node.handle]).collect::<Vec<_>>())
        })?;
        list::write([nodes], count, &roots)
    }
    /// The upload flag requires a stream: cudaGraphInstantiateWithParams.
    fn cuGraphInstantiateWithFlags = cudaGraphInstantiateWithFlags, cudaGraphInstantiate(to: Out<Handle>, handle: Handle, flags: u64) {
        if flags & GRAPH_UPLOAD == 0 { make(to, handle, flags) } else { Err(Code::INVALID_VALUE) }
    }
    fn cuGraphInstantiateWithParams = cudaGraphInstantiateWithParams(to: Out<Handle>, handle: Handle, params: Out<InstantiateParams>) {
        instantiate(to, handle, params)
    }
    fn cuGraphInstantiateWithParams_ptsz = cudaGraphInstantiateWithParams_ptsz(to: Out<Handle>, handle: Handle, params: Out<InstantiateParams>) {
        instantiate(to, handle, params)
    }
    fn cuGraphLaunch = cudaGraphLaunch(executable: Handle, stream: StreamArg) on stream { launch(executable, stream.get()?) }
    fn cuGraphUpload = cudaGraphUpload(executable: Handle, stream: StreamArg) on stream {
        stream.get()?;
        Exec::with(executable, |_| Ok(()))
    }
    fn cuGraphExecDestroy = cudaGraphExecDestroy(handle: Handle) { Exec::destroy(handle) }
    fn cuGraphExecGetFlags = cudaGraphExecGetFlags(handle: Handle, to: Out<u64>) {
        to.check()?.set(Exec::with(handle, |exec| Ok(exec.flags & GRAPH_AUTO_FREE_ON_LAUNCH))?)
    }
}

exports! { driver;
    fn cuGraphExecUpdate(executable: Handle, handle: Handle, node: Out<Handle>, result: Out<i32>) {
        let (found, code) = update(executable, handle)?;
        node.offer(found.node);
        result.offer(found.result);
        code
    }
    fn cuGraphInstantiate = cuGraphInstantiate_v2(to: Out<Handle>, handle: Handle, error_node: Out<usize>, _log: *mut c_void, _len: usize) {
        error_node.offer(0);
        make(to, handle, 0)
    }
}
