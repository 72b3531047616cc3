//! Graph edges, in the form with edge data.

use crate::boundary::{Out, exports, list};
use crate::code::Result;
use crate::graph;
use crate::handle::Handle;

/// Returns the pairs that two arrays of nodes form.
fn pairs(from: Out<Handle>, to: Out<Handle>, count: usize) -> Result<Vec<(Handle, Handle)>> {
    Ok(list::read(from, count)?.into_iter().zip(list::read(to, count)?).collect())
}

fn add(handle: Handle, from: Out<Handle>, to: Out<Handle>, data: Out<u64>, count: usize) -> Result {
    list::check_edge_data(data, count)?;
    graph::change_edges(handle, &pairs(from, to, count)?, false)
}

fn remove(handle: Handle, from: Out<Handle>, to: Out<Handle>, count: usize) -> Result {
    graph::change_edges(handle, &pairs(from, to, count)?, true)
}

fn get(handle: Handle, from: Out<Handle>, to: Out<Handle>, data: Out<u64>, count: Out<usize>) -> Result {
    let edges: Vec<[Handle; 2]> = graph::edges(handle)?.into_iter().map(|(from, to)| [from, to]).collect();
    list::write([from, to], count, &edges)?;
    if from.is_null() { Ok(()) } else { list::write_edge_data(data, count) }
}

/// Writes a node's predecessors or successors.
fn beside(node: Handle, before: bool, nodes: Out<Handle>, data: Out<u64>, count: Out<usize>) -> Result {
    let (handle, _) = graph::locate(node)?;
    let edges = graph::edges(handle)?.into_iter();
    let beside: Vec<[Handle; 1]> = match before {
        true => edges.filter(|(_, to)| *to == node).map(|(from, _)| [from]).collect(),
        false => edges.filter(|(from, _)| *from == node).map(|(_, to)| [to]).collect(),
    };
    list::write([nodes], count, &beside)?;
    if nodes.is_null() { Ok(()) } else { list::write_edge_data(data, count) }
}

exports! { driver, inside;
    fn cuGraphAddDependencies_v2 = cudaGraphAddDependencies_v2, cudaGraphAddDependencies
        (handle: Handle, from: Out<Handle>, to: Out<Handle>, data: Out<u64>, count: usize) {
        add(handle, from, to, data, count)
    }
    fn cuGraphRemoveDependencies_v2 = cudaGraphRemoveDependencies_v2, cudaGraphRemoveDependencies
        (handle: Handle, from: Out<Handle>, to: Out<Handle>, _data: Out<u64>, count: usize) {
        remove(handle, from, to, count)
    }
    fn cuGraphGetEdges_v2 = cudaGraphGetEdges_v2, cudaGraphGetEdges
        (handle: Handle, from: Out<Handle>, to: Out<Handle>, data: Out<u64>, count: Out<usize>) {
        get(handle, from, to, data, count)
    }
    fn cuGraphNodeGetDependencies_v2 = cudaGraphNodeGetDependencies_v2, cudaGraphNodeGetDependencies
        (node: Handle, nodes: Out<Handle>, data: Out<u64>, count: Out<usize>) {
        beside(node, true, nodes, data, count)
    }
    fn cuGraphNodeGetDependentNodes_v2 = cudaGraphNodeGetDependentNodes_v2, cudaGraphNodeGetDependentNodes
        (node: Handle, nodes: Out<Handle>, data: Out<u64>, count: Out<usize>) {
        beside(node, false, nodes, data, count)
    }
}

// CUDA 12 has these forms under the plain names.
exports! { driver, inside_12;
    fn cuGraphAddDependencies = cudaGraphAddDependencies(handle: Handle, from: Out<Handle>, to: Out<Handle>, count: usize) {
        add(handle, from, to, Out::NONE, count)
    }
    fn cuGraphRemoveDependencies = cudaGraphRemoveDependencies(handle: Handle, from: Out<Handle>, to: Out<Handle>, count: usize) {
        remove(handle, from, to, count)
    }
    fn cuGraphGetEdges = cudaGraphGetEdges(handle: Handle, from: Out<Handle>, to: Out<Handle>, count: Out<usize>) {
        get(handle, from, to, Out::NONE, count)
    }
    fn cuGraphNodeGetDependencies = cudaGraphNodeGetDependencies(node: Handle, nodes: Out<Handle>, count: Out<usize>) {
        beside(node, true, nodes, Out::NONE, count)
    }
    fn cuGraphNodeGetDependentNodes = cudaGraphNodeGetDependentNodes(node: Handle, nodes: Out<Handle>, count: Out<usize>) {
        beside(node, false, nodes, Out::NONE, count)
    }
}
