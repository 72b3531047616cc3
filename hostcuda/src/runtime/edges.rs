//! Graph edges in CUDA 13's form: with edge data.

use crate::boundary::{Out, exports};
use crate::driver::edges;
use crate::handle::Handle;

exports! { inside;
    fn cudaGraphAddDependencies(handle: Handle, from: Out<Handle>, to: Out<Handle>, data: Out<u64>, count: usize) {
        edges::add(handle, from, to, data, count)
    }
    fn cudaGraphRemoveDependencies(handle: Handle, from: Out<Handle>, to: Out<Handle>, _data: Out<u64>, count: usize) {
        edges::remove(handle, from, to, count)
    }
    fn cudaGraphGetEdges(handle: Handle, from: Out<Handle>, to: Out<Handle>, data: Out<u64>, count: Out<usize>) {
        edges::get(handle, from, to, data, count)
    }
    fn cudaGraphNodeGetDependencies(node: Handle, nodes: Out<Handle>, data: Out<u64>, count: Out<usize>) {
        edges::beside(node, true, nodes, data, count)
    }
    fn cudaGraphNodeGetDependentNodes(node: Handle, nodes: Out<Handle>, data: Out<u64>, count: Out<usize>) {
        edges::beside(node, false, nodes, data, count)
    }
}
