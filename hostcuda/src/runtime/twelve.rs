//! CUDA 12 functions that differ from CUDA 13's and from all driver functions. libcudart.so.12 jumps to these.

use super::graph::add_node;
use super::library::look_up_form;
use crate::boundary::{Out, Text, exports};
use crate::driver::node::Place;
use crate::handle::Handle;
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
    fn cudaGraphAddNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, params: Out<GraphNodeParams>) {
        add_node(to, Place { graph, behind, count }, Out::NONE, params)
    }
}
