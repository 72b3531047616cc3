//! Graph nodes that copy to and from variables.

use super::symbol::{FROM, TO, copy, part};
use crate::boundary::{Out, exports};
use crate::code::Result;
use crate::driver::exec;
use crate::driver::node::{self, Place};
use crate::graph::Step;
use crate::handle::Handle;

/// Returns a step that copies to a part of a variable, given its length and offset.
fn to_symbol(symbol: usize, from: usize, (len, offset): (usize, usize), kind: u32) -> Result<Step> {
    let (transfer, to, from) = copy(part(symbol, len, offset)?, from, len, kind, TO)?;
    node::copy_step(transfer, to, from)
}

/// A step that copies from a part of a variable.
fn from_symbol(to: usize, symbol: usize, (len, offset): (usize, usize), kind: u32) -> Result<Step> {
    let (transfer, to, from) = copy(to, part(symbol, len, offset)?, len, kind, FROM)?;
    node::copy_step(transfer, to, from)
}

exports! { inside;
    fn cudaGraphAddMemcpyNodeToSymbol(node: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, symbol: usize, from: usize, len: usize, offset: usize, kind: u32) {
        node::add(node, Place { graph, behind, count }, || to_symbol(symbol, from, (len, offset), kind))
    }
    fn cudaGraphAddMemcpyNodeFromSymbol(node: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, to: usize, symbol: usize, len: usize, offset: usize, kind: u32) {
        node::add(node, Place { graph, behind, count }, || from_symbol(to, symbol, (len, offset), kind))
    }
    fn cudaGraphMemcpyNodeSetParamsToSymbol(node: Handle, symbol: usize, from: usize, len: usize, offset: usize, kind: u32) {
        node::set_step(node, to_symbol(symbol, from, (len, offset), kind)?)
    }
    fn cudaGraphMemcpyNodeSetParamsFromSymbol(node: Handle, to: usize, symbol: usize, len: usize, offset: usize, kind: u32) {
        node::set_step(node, from_symbol(to, symbol, (len, offset), kind)?)
    }
    fn cudaGraphExecMemcpyNodeSetParamsToSymbol(executable: Handle, node: Handle, symbol: usize, from: usize, len: usize, offset: usize, kind: u32) {
        exec::set_step(executable, node, to_symbol(symbol, from, (len, offset), kind)?)
    }
    fn cudaGraphExecMemcpyNodeSetParamsFromSymbol(executable: Handle, node: Handle, to: usize, symbol: usize, len: usize, offset: usize, kind: u32) {
        exec::set_step(executable, node, from_symbol(to, symbol, (len, offset), kind)?)
    }
}
