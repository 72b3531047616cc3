//! Copy nodes and nodes of any type, whose structures differ from the driver's.

use super::copy::{Memcpy3DParms, line};
use super::symbol::{FROM, TO, address, check};
use crate::boundary::{Out, exports, through};
use crate::code::Result;
use crate::context;
use crate::driver::copy::Memcpy3d;
use crate::driver::node_params::COPY;
use crate::handle::Handle;
use cuda_abi::GraphNodeParams;

fn add(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, copy: Result<Memcpy3d>) -> Result {
    let (copy, context) = (&copy?, context::current()?.handle());
    through!(cuGraphAddMemcpyNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, copy: &Memcpy3d, context: Handle))
}

fn set(node: Handle, copy: Result<Memcpy3d>) -> Result {
    let copy = &copy?;
    through!(cuGraphMemcpyNodeSetParams(node: Handle, copy: &Memcpy3d))
}

fn set_exec(executable: Handle, node: Handle, copy: Result<Memcpy3d>) -> Result {
    let (copy, context) = (&copy?, context::current()?.handle());
    through!(cuGraphExecMemcpyNodeSetParams(executable: Handle, node: Handle, copy: &Memcpy3d, context: Handle))
}

fn shaped(params: Out<Memcpy3DParms>) -> Result<Memcpy3d> {
    params.get()?.driver()
}

/// Returns a copy to a part of a variable.
fn to_symbol(symbol: usize, from: usize, (len, offset): (usize, usize), kind: u32) -> Result<Memcpy3d> {
    line(address(symbol, len, offset)?, from, len, check(kind, TO)?)
}

/// Returns a copy from a part of a variable.
fn from_symbol(to: usize, symbol: usize, (len, offset): (usize, usize), kind: u32) -> Result<Memcpy3d> {
    line(to, address(symbol, len, offset)?, len, check(kind, FROM)?)
}

/// Runs `body` on the parameters as the driver describes them. Only those of copies differ.
fn translated(params: Out<GraphNodeParams>, body: impl FnOnce(Out<GraphNodeParams>) -> Result) -> Result {
    let mut given = params.get()?;
    if given.kind != COPY {
        return body(params);
    }
    let place = Out::of(&mut given).copy_params();
    place.set(place.cast::<Memcpy3DParms>().get()?.driver()?)?;
    body(Out::of(&mut given))
}

fn add_any(
    to: Out<Handle>,
    graph: Handle,
    behind: Out<Handle>,
    data: Out<u64>,
    count: usize,
    params: Out<GraphNodeParams>,
) -> Result {
    translated(
        params,
        |params| through!(cuGraphAddNode_v2(to: Out<Handle>, graph: Handle, behind: Out<Handle>, data: Out<u64>, count: usize, params: Out<GraphNodeParams>)),
    )
}

exports! { inside;
    fn cudaGraphAddMemcpyNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, params: Out<Memcpy3DParms>) {
        add(to, graph, behind, count, shaped(params))
    }
    fn cudaGraphMemcpyNodeGetParams(node: Handle, to: Out<Memcpy3DParms>) {
        let mut copy = std::mem::MaybeUninit::<Memcpy3d>::zeroed();
        let place = Out::of(&mut copy).cast::<Memcpy3d>();
        through!(cuGraphMemcpyNodeGetParams(node: Handle, place: Out<Memcpy3d>))?;
        to.set(Memcpy3DParms::of(&place.get()?))
    }
    fn cudaGraphMemcpyNodeSetParams(node: Handle, params: Out<Memcpy3DParms>) { set(node, shaped(params)) }
    fn cudaGraphExecMemcpyNodeSetParams(executable: Handle, node: Handle, params: Out<Memcpy3DParms>) { set_exec(executable, node, shaped(params)) }
    fn cudaGraphAddMemcpyNode1D(node: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, to: usize, from: usize, len: usize, kind: u32) {
        add(node, graph, behind, count, line(to, from, len, kind))
    }
    fn cudaGraphMemcpyNodeSetParams1D(node: Handle, to: usize, from: usize, len: usize, kind: u32) { set(node, line(to, from, len, kind)) }
    fn cudaGraphExecMemcpyNodeSetParams1D(executable: Handle, node: Handle, to: usize, from: usize, len: usize, kind: u32) {
        set_exec(executable, node, line(to, from, len, kind))
    }
    fn cudaGraphAddMemcpyNodeToSymbol(node: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, symbol: usize, from: usize, len: usize, offset: usize, kind: u32) {
        add(node, graph, behind, count, to_symbol(symbol, from, (len, offset), kind))
    }
    fn cudaGraphAddMemcpyNodeFromSymbol(node: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, to: usize, symbol: usize, len: usize, offset: usize, kind: u32) {
        add(node, graph, behind, count, from_symbol(to, symbol, (len, offset), kind))
    }
    fn cudaGraphMemcpyNodeSetParamsToSymbol(node: Handle, symbol: usize, from: usize, len: usize, offset: usize, kind: u32) {
        set(node, to_symbol(symbol, from, (len, offset), kind))
    }
    fn cudaGraphMemcpyNodeSetParamsFromSymbol(node: Handle, to: usize, symbol: usize, len: usize, offset: usize, kind: u32) {
        set(node, from_symbol(to, symbol, (len, offset), kind))
    }
    fn cudaGraphExecMemcpyNodeSetParamsToSymbol(executable: Handle, node: Handle, symbol: usize, from: usize, len: usize, offset: usize, kind: u32) {
        set_exec(executable, node, to_symbol(symbol, from, (len, offset), kind))
    }
    fn cudaGraphExecMemcpyNodeSetParamsFromSymbol(executable: Handle, node: Handle, to: usize, symbol: usize, len: usize, offset: usize, kind: u32) {
        set_exec(executable, node, from_symbol(to, symbol, (len, offset), kind))
    }
    fn cudaGraphAddNode = cudaGraphAddNode_v2
        (to: Out<Handle>, graph: Handle, behind: Out<Handle>, data: Out<u64>, count: usize, params: Out<GraphNodeParams>) {
        add_any(to, graph, behind, data, count, params)
    }
    fn cudaGraphNodeSetParams(node: Handle, params: Out<GraphNodeParams>) {
        translated(params, |params| through!(cuGraphNodeSetParams(node: Handle, params: Out<GraphNodeParams>)))
    }
    fn cudaGraphExecNodeSetParams(executable: Handle, node: Handle, params: Out<GraphNodeParams>) {
        translated(params, |params| through!(cuGraphExecNodeSetParams(executable: Handle, node: Handle, params: Out<GraphNodeParams>)))
    }
}

exports! { inside_12;
    fn cudaGraphAddNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, params: Out<GraphNodeParams>) {
        add_any(to, graph, behind, Out::NONE, count, params)
    }
}
