//! Captures into existing graphs, and the dependencies of a captured stream's next node.

use crate::boundary::{Out, StreamArg, exports, list};
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::{capture, graph};

/// Adds nodes to the dependencies of the stream's next node (flag 0), or replaces them (1).
fn update_ends(stream: StreamArg, nodes: Out<Handle>, data: Out<u64>, count: usize, flags: u32) -> Result {
    if flags > 1 {
        return Err(Code::INVALID_VALUE);
    }
    list::check_edge_data(data, count)?;
    let stream = stream.get()?;
    let capture = capture::of(stream).ok_or(Code::ILLEGAL_STATE)?;
    capture.set_ends(stream, &list::read(nodes, count)?, flags == 1)
}

exports! { driver, inside;
    fn cuStreamBeginCaptureToGraph
        = cudaStreamBeginCaptureToGraph
        (stream: StreamArg, handle: Handle, nodes: Out<Handle>, data: Out<u64>, count: usize, mode: u32) on stream {
        list::check_edge_data(data, count)?;
        let nodes = list::read(nodes, count)?;
        let behind = graph::with(handle, |graph| graph.numbers(handle, &nodes))?;
        capture::begin_to(stream.get()?, mode, handle, behind)
    }
    fn cuStreamUpdateCaptureDependencies_v2
        = cudaStreamUpdateCaptureDependencies_v2,
          cudaStreamUpdateCaptureDependencies
        (stream: StreamArg, nodes: Out<Handle>, data: Out<u64>, count: usize, flags: u32) on stream {
        update_ends(stream, nodes, data, count, flags)
    }
}

// CUDA 12 has these forms under the plain names.
exports! { driver, inside_12;
    fn cuStreamUpdateCaptureDependencies
        = cudaStreamUpdateCaptureDependencies
        (stream: StreamArg, nodes: Out<Handle>, count: usize, flags: u32) on stream {
        update_ends(stream, nodes, Out::NONE, count, flags)
    }
}
