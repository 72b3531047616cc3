//! Edges of graphs, in the form without data.

use crate::both::edges;
use crate::boundary::{Out, exports};
use crate::handle::Handle;

exports! { driver;
    fn cuGraphAddDependencies(handle: Handle, from: Out<Handle>, to: Out<Handle>, count: usize) {
        edges::add(handle, from, to, Out::NONE, count)
    }
    fn cuGraphRemoveDependencies(handle: Handle, from: Out<Handle>, to: Out<Handle>, count: usize) {
        edges::remove(handle, from, to, count)
    }
    fn cuGraphGetEdges(handle: Handle, from: Out<Handle>, to: Out<Handle>, count: Out<usize>) {
        edges::get(handle, from, to, Out::NONE, count)
    }
    fn cuGraphNodeGetDependencies(node: Handle, nodes: Out<Handle>, count: Out<usize>) {
        edges::beside(node, true, nodes, Out::NONE, count)
    }
    fn cuGraphNodeGetDependentNodes(node: Handle, nodes: Out<Handle>, count: Out<usize>) {
        edges::beside(node, false, nodes, Out::NONE, count)
    }
}
