//! Copies in graphs, and nodes of any type, as the driver API passes them.

use crate::both::exec;
use crate::both::node::{self, Place};
use crate::both::node_params;
use crate::boundary::{Out, exports, list};
use crate::code::{Code, Result};
use crate::driver::copy::{Memcpy3d, shaped};
use crate::graph::{self, Step};
use crate::handle::Handle;
use crate::work::Work;
use cuda_abi::GraphNodeParams;

/// A step that copies.
fn copy(params: Out<Memcpy3d>) -> Result<Step> {
    let (transfer, to, from) = shaped(params.get()?)?;
    node::copy(transfer, to, from)
}

fn step(graph: Handle, params: Out<GraphNodeParams>) -> Result<Step> {
    node_params::step(graph, params, |bytes| copy(bytes.cast()))
}

fn other_step(node: Handle, params: Out<GraphNodeParams>) -> Result<Step> {
    node_params::other_step(graph::locate(node)?.0, params, |bytes| copy(bytes.cast()))
}

exports! { driver;
    fn cuGraphAddMemcpyNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, params: Out<Memcpy3d>) {
        node::add(to, Place { graph, behind, count }, || copy(params))
    }
    fn cuGraphMemcpyNodeGetParams(node: Handle, to: Out<Memcpy3d>) {
        to.check()?.set(graph::find(node, |node| match &node.step {
            Step::Work(Work::Transfer(transfer, _)) => Memcpy3d::of(transfer),
            _ => Err(Code::INVALID_VALUE),
        })?)
    }
    fn cuGraphMemcpyNodeSetParams(node: Handle, params: Out<Memcpy3d>) {
        node::set_step(node, copy(params)?)
    }
    fn cuGraphExecMemcpyNodeSetParams(executable: Handle, node: Handle, params: Out<Memcpy3d>) {
        exec::set_step(executable, node, copy(params)?)
    }
    fn cuGraphAddNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, params: Out<GraphNodeParams>) {
        node::add(to, Place { graph, behind, count }, || step(graph, params))
    }
    fn cuGraphAddNode_v2(to: Out<Handle>, graph: Handle, behind: Out<Handle>, data: Out<u64>, count: usize, params: Out<GraphNodeParams>) {
        list::check_edge_data(data, count)?;
        node::add(to, Place { graph, behind, count }, || step(graph, params))
    }
    fn cuGraphNodeSetParams(node: Handle, params: Out<GraphNodeParams>) {
        node::set_step(node, other_step(node, params)?)
    }
    fn cuGraphExecNodeSetParams(executable: Handle, node: Handle, params: Out<GraphNodeParams>) {
        exec::set_step(executable, node, other_step(node, params)?)
    }
}
