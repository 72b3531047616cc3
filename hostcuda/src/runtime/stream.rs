//! Streams, and captures on them.

use super::entry_points;
use crate::both::stream::CaptureInfo;
use crate::boundary::{Out, StreamArg, exports};
use crate::handle::Handle;
use std::ffi::c_void;

exports! { inside;
    fn cudaStreamCreate(to: Out<Handle>) {
        entry_points::stream_create(to, 0, 0)
    }
    fn cudaStreamCreateWithFlags(to: Out<Handle>, flags: u32) {
        entry_points::stream_create(to, flags, 0)
    }
    fn cudaStreamCreateWithPriority(to: Out<Handle>, flags: u32, priority: i32) {
        entry_points::stream_create(to, flags, priority)
    }
    fn cudaStreamDestroy(handle: Handle) {
        entry_points::stream_destroy(handle)
    }
    fn cudaStreamQuery | cudaStreamQuery_ptsz(stream: StreamArg) on stream {
        entry_points::stream_query(stream)
    }
    fn cudaStreamSynchronize | cudaStreamSynchronize_ptsz(stream: StreamArg) on stream {
        entry_points::stream_synchronize(stream)
    }
    fn cudaStreamWaitEvent | cudaStreamWaitEvent_ptsz(stream: StreamArg, event: Handle, flags: u32) on stream {
        entry_points::stream_wait_event(stream, event, flags)
    }
    fn cudaStreamBeginCapture | cudaStreamBeginCapture_ptsz(stream: StreamArg, mode: u32) on stream {
        entry_points::stream_begin_capture(stream, mode)
    }
    fn cudaStreamEndCapture | cudaStreamEndCapture_ptsz(stream: StreamArg, to: Out<Handle>) on stream {
        entry_points::stream_end_capture(stream, to)
    }
    fn cudaStreamGetCaptureInfo | cudaStreamGetCaptureInfo_ptsz(stream: StreamArg, status: Out<i32>, id: Out<u64>, graph: Out<Handle>, nodes: Out<*const Handle>, edges: Out<*const c_void>, count: Out<usize>) on stream {
        CaptureInfo { status, id, graph, nodes, edges, count }.get(stream)
    }
}
