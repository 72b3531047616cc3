//! Copy nodes, and nodes of any type, in the runtime API.

use super::copy::{Memcpy3DParms, sides};
use crate::boundary::{Out, exports, through};
use crate::code::{Code, Result};
use crate::driver::exec;
use crate::driver::node::{self, Place};
use crate::driver::node_params;
use crate::graph::{self, Step};
use crate::handle::Handle;
use crate::transfer::Transfer;
use crate::work::Work;
use cuda_abi::GraphNodeParams;

fn checked(transfer: Transfer, kind: u32) -> Result<Step> {
    let (to, from) = sides(kind)?;
    node::copy_step(transfer, to, from)
}

/// Returns a step that copies.
fn copy(params: Out<Memcpy3DParms>) -> Result<Step> {
    let params = params.get()?;
    checked(params.transfer()?, params.kind)
}

/// Returns a step that copies bytes in one row.
fn line(to: usize, from: usize, len: usize, kind: u32) -> Result<Step> {
    checked(Transfer::line(to, from, len), kind)
}

pub(super) fn step(graph: Handle, params: Out<GraphNodeParams>) -> Result<Step> {
    node_params::step(graph, params, |bytes| copy(bytes.cast()))
}

/// Returns whether the parameters describe a copy. Only these differ from the driver API.
pub(super) fn is_copy(params: Out<GraphNodeParams>) -> Result<bool> {
    const COPY: i32 = 1;
    Ok(params.cast::<i32>().get()? == COPY)
}

exports! { inside;
    fn cudaGraphAddMemcpyNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, params: Out<Memcpy3DParms>) {
        node::add(to, Place { graph, behind, count }, || copy(params))
    }
    fn cudaGraphAddMemcpyNode1D(node: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, to: usize, from: usize, len: usize, kind: u32) {
        node::add(node, Place { graph, behind, count }, || line(to, from, len, kind))
    }
    fn cudaGraphMemcpyNodeGetParams(node: Handle, to: Out<Memcpy3DParms>) {
        to.check()?.set(graph::find(node, |node| match &node.step {
            Step::Work(Work::Transfer(transfer, _)) => Memcpy3DParms::of(transfer),
            _ => Err(Code::INVALID_VALUE),
        })?)
    }
    fn cudaGraphMemcpyNodeSetParams(node: Handle, params: Out<Memcpy3DParms>) {
        node::set_step(node, copy(params)?)
    }
    fn cudaGraphMemcpyNodeSetParams1D(node: Handle, to: usize, from: usize, len: usize, kind: u32) {
        node::set_step(node, line(to, from, len, kind)?)
    }
    fn cudaGraphExecMemcpyNodeSetParams(executable: Handle, node: Handle, params: Out<Memcpy3DParms>) {
        exec::set_step(executable, node, copy(params)?)
    }
    fn cudaGraphExecMemcpyNodeSetParams1D(executable: Handle, node: Handle, to: usize, from: usize, len: usize, kind: u32) {
        exec::set_step(executable, node, line(to, from, len, kind)?)
    }
    fn cudaGraphNodeSetParams(node: Handle, params: Out<GraphNodeParams>) {
        if is_copy(params)? { node::set_step(node, step(graph::locate(node)?.0, params)?) } else { through!(cuGraphNodeSetParams(node: Handle, params: Out<GraphNodeParams>)) }
    }
    fn cudaGraphExecNodeSetParams(executable: Handle, node: Handle, params: Out<GraphNodeParams>) {
        match is_copy(params)? {
            true => exec::set_step(executable, node, step(graph::locate(node)?.0, params)?),
            false => through!(cuGraphExecNodeSetParams(executable: Handle, node: Handle, params: Out<GraphNodeParams>)),
        }
    }
}
