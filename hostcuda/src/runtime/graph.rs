//! Nodes of any type.

use super::node::{is_copy, step};
use crate::boundary::{Out, exports, list, through};
use crate::code::Result;
use crate::driver::node::{self, Place};
use crate::handle::Handle;
use cuda_abi::GraphNodeParams;

/// Adds a node of any type. Copies have a different structure in the driver API. All other nodes go through the driver function, so an
/// interposing library sees them.
fn add_node(to: Out<Handle>, place: Place, data: Out<u64>, params: Out<GraphNodeParams>) -> Result {
    let Place { graph, behind, count } = place;
    if !is_copy(params)? {
        return through!(cuGraphAddNode_v2(to: Out<Handle>, graph: Handle, behind: Out<Handle>, data: Out<u64>, count: usize, params: Out<GraphNodeParams>));
    }
    list::check_edge_data(data, count)?;
    node::add(to, place, || step(graph, params))
}

exports! { inside;
    fn cudaGraphAddNode = cudaGraphAddNode_v2
        (to: Out<Handle>, graph: Handle, behind: Out<Handle>, data: Out<u64>, count: usize, params: Out<GraphNodeParams>) {
        add_node(to, Place { graph, behind, count }, data, params)
    }
}

exports! { inside_12;
    fn cudaGraphAddNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, params: Out<GraphNodeParams>) {
        add_node(to, Place { graph, behind, count }, Out::NONE, params)
    }
}
