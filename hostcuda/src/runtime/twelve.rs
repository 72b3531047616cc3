//! The functions whose arguments differ between CUDA 12 and 13, as 12 has them. libcudart.so.12 jumps to these.

use super::graph::add_node;
use super::library::look_up_form;
use crate::advice;
use crate::boundary::{Out, StreamArg, Text, exports};
use crate::driver::advice::prefetch;
use crate::driver::capture::update_ends;
use crate::driver::edges;
use crate::driver::node::Place;
use crate::driver::stream::CaptureInfo;
use crate::handle::Handle;
use crate::pool::Location;
use cuda_abi::GraphNodeParams;
use std::ffi::c_void;

/// The CUDA version that libcudart.so.12 reports.
const VERSION: i32 = 12090;

exports! { runtime_12;
    fn cudaRuntimeGetVersion(to: Out<i32>) {
        to.set(VERSION)
    }
    fn cudaGetDriverEntryPoint(name: Text, function: Out<*mut c_void>, flags: u64, status: Out<i32>) {
        look_up_form(name, function, VERSION, flags, status)
    }
    fn cudaGetDriverEntryPoint_ptsz(name: Text, function: Out<*mut c_void>, flags: u64, status: Out<i32>) {
        look_up_form(name, function, VERSION, if flags == 0 { 2 } else { flags }, status)
    }
}

exports! { inside_12;
    fn cudaMemAdvise(address: usize, len: usize, advice: i32, device: i32) {
        advice::advise(address, len, advice, Location::of_device(device))
    }
    fn cudaMemPrefetchAsync | cudaMemPrefetchAsync_ptsz(address: usize, len: usize, device: i32, stream: StreamArg) on stream {
        prefetch(address, len, Location::of_device(device), stream)
    }
    fn cudaGraphAddDependencies(handle: Handle, from: Out<Handle>, to: Out<Handle>, count: usize) {
        edges::add(handle, from, to, Out::NONE, count)
    }
    fn cudaGraphRemoveDependencies(handle: Handle, from: Out<Handle>, to: Out<Handle>, count: usize) {
        edges::remove(handle, from, to, count)
    }
    fn cudaGraphGetEdges(handle: Handle, from: Out<Handle>, to: Out<Handle>, count: Out<usize>) {
        edges::get(handle, from, to, Out::NONE, count)
    }
    fn cudaGraphNodeGetDependencies(node: Handle, nodes: Out<Handle>, count: Out<usize>) {
        edges::beside(node, true, nodes, Out::NONE, count)
    }
    fn cudaGraphNodeGetDependentNodes(node: Handle, nodes: Out<Handle>, count: Out<usize>) {
        edges::beside(node, false, nodes, Out::NONE, count)
    }
    fn cudaGraphAddNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, params: Out<GraphNodeParams>) {
        add_node(to, Place { graph, behind, count }, Out::NONE, params)
    }
    fn cudaStreamUpdateCaptureDependencies | cudaStreamUpdateCaptureDependencies_ptsz
        (stream: StreamArg, nodes: Out<Handle>, count: usize, flags: u32) on stream {
        update_ends(stream, nodes, Out::NONE, count, flags)
    }
    fn cudaStreamGetCaptureInfo | cudaStreamGetCaptureInfo_ptsz(stream: StreamArg, status: Out<i32>, id: Out<u64>) on stream {
        CaptureInfo { status, id, graph: Out::NONE, nodes: Out::NONE, edges: Out::NONE, count: Out::NONE }.get(stream)
    }
}
