//! Runtime-only forms of instantiation and capture, and nodes of any type.

use super::node::{is_copy, step};
use crate::boundary::{Out, StreamArg, exports, list, through};
use crate::code::Result;
use crate::driver::capture::update_ends;
use crate::driver::graph::make;
use crate::driver::node::{self, Place};
use crate::driver::stream::CaptureInfo;
use crate::handle::Handle;
use cuda_abi::GraphNodeParams;
use std::ffi::c_void;

/// Adds a node of any type. Copies have a different structure in the driver API. All other nodes go through the driver function, so an
/// interposing library sees them.
pub(super) fn add_node(to: Out<Handle>, place: Place, data: Out<u64>, params: Out<GraphNodeParams>) -> Result {
    let Place { graph, behind, count } = place;
    if !is_copy(params)? {
        return through!(cuGraphAddNode_v2(to: Out<Handle>, graph: Handle, behind: Out<Handle>, data: Out<u64>, count: usize, params: Out<GraphNodeParams>));
    }
    list::check_edge_data(data, count)?;
    node::add(to, place, || step(graph, params))
}

exports! { inside;
    fn cudaGraphInstantiate(to: Out<Handle>, handle: Handle, flags: u64) {
        make(to, handle, flags)
    }
    fn cudaGraphAddNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, data: Out<u64>, count: usize, params: Out<GraphNodeParams>) {
        add_node(to, Place { graph, behind, count }, data, params)
    }
    fn cudaGraphAddNode_v2(to: Out<Handle>, graph: Handle, behind: Out<Handle>, data: Out<u64>, count: usize, params: Out<GraphNodeParams>) {
        add_node(to, Place { graph, behind, count }, data, params)
    }
    fn cudaStreamUpdateCaptureDependencies | cudaStreamUpdateCaptureDependencies_ptsz
        (stream: StreamArg, nodes: Out<Handle>, data: Out<u64>, count: usize, flags: u32) on stream {
        update_ends(stream, nodes, data, count, flags)
    }
    fn cudaStreamGetCaptureInfo | cudaStreamGetCaptureInfo_ptsz(stream: StreamArg, status: Out<i32>, id: Out<u64>, graph: Out<Handle>, nodes: Out<*const Handle>, edges: Out<*const c_void>, count: Out<usize>) on stream {
        CaptureInfo { status, id, graph, nodes, edges, count }.get(stream)
    }
}
