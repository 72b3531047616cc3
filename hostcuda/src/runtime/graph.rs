//! Forms that only the runtime API has, or whose arguments differ between CUDA 12 and 13.

use super::entry_points;
use super::needed::is_twelve;
use crate::both::capture::update_ends;
use crate::both::graph::make;
use crate::boundary::{Out, StreamArg, exports};
use crate::handle::Handle;

exports! { inside;
    fn cudaGraphInstantiate(to: Out<Handle>, handle: Handle, flags: u64) {
        make(to, handle, flags)
    }
    fn cudaStreamBeginCaptureToGraph | cudaStreamBeginCaptureToGraph_ptsz
        (stream: StreamArg, graph: Handle, nodes: Out<Handle>, data: Out<u64>, count: usize, mode: u32) on stream {
        entry_points::stream_begin_capture_to(stream, graph, nodes, data, count, mode)
    }
    fn cudaStreamUpdateCaptureDependencies | cudaStreamUpdateCaptureDependencies_ptsz
        (stream: StreamArg, nodes: Out<Handle>, third: usize, fourth: usize, fifth: u32) on stream {
        match is_twelve() {
            true => update_ends(stream, nodes, Out::NONE, third, fourth as u32),
            false => update_ends(stream, nodes, Out::at_address(third), fourth, fifth),
        }
    }
}
