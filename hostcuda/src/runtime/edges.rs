//! Edges of graphs. CUDA 13 has data about each edge among the arguments, 12 has not.

use super::needed::is_twelve;
use crate::both::edges;
use crate::boundary::{Out, exports};
use crate::handle::Handle;

/// The data and what follows it, of the two arguments in which the releases differ.
fn split<T>(data: usize, last: Out<T>) -> (Out<u64>, Out<T>) {
    if is_twelve() { (Out::NONE, Out::at_address(data)) } else { (Out::at_address(data), last) }
}

fn split_count(data: usize, count: usize) -> (Out<u64>, usize) {
    if is_twelve() { (Out::NONE, data) } else { (Out::at_address(data), count) }
}

exports! { inside;
    fn cudaGraphAddDependencies(handle: Handle, from: Out<Handle>, to: Out<Handle>, data: usize, count: usize) {
        let (data, count) = split_count(data, count);
        edges::add(handle, from, to, data, count)
    }
    fn cudaGraphRemoveDependencies(handle: Handle, from: Out<Handle>, to: Out<Handle>, data: usize, count: usize) {
        edges::remove(handle, from, to, split_count(data, count).1)
    }
    fn cudaGraphGetEdges(handle: Handle, from: Out<Handle>, to: Out<Handle>, data: usize, count: Out<usize>) {
        let (data, count) = split(data, count);
        edges::get(handle, from, to, data, count)
    }
    fn cudaGraphNodeGetDependencies(node: Handle, nodes: Out<Handle>, data: usize, count: Out<usize>) {
        let (data, count) = split(data, count);
        edges::beside(node, true, nodes, data, count)
    }
    fn cudaGraphNodeGetDependentNodes(node: Handle, nodes: Out<Handle>, data: usize, count: Out<usize>) {
        let (data, count) = split(data, count);
        edges::beside(node, false, nodes, data, count)
    }
}
