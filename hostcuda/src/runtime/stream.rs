//! Streams, host functions, and captures.

use super::door;
use crate::boundary::{Out, StreamArg, User, exports};
use crate::capture;
use crate::driver::stream::{CaptureInfo, add_callback, is_capturing, launch};
use crate::table::Handle;
use crate::work::{Callback, Function};
use std::ffi::c_void;
use std::sync::atomic::Ordering;

exports! { inside;
    fn cudaStreamCreate(to: Out<Handle>) {
        door::stream_create(to, 0, 0)
    }
    fn cudaStreamCreateWithFlags(to: Out<Handle>, flags: u32) {
        door::stream_create(to, flags, 0)
    }
    fn cudaStreamCreateWithPriority(to: Out<Handle>, flags: u32, priority: i32) {
        door::stream_create(to, flags, priority)
    }
    fn cudaStreamDestroy(handle: Handle) {
        door::stream_destroy(handle)
    }
    fn cudaStreamQuery | cudaStreamQuery_ptsz(stream: StreamArg) on stream {
        door::stream_query(stream)
    }
    fn cudaStreamSynchronize | cudaStreamSynchronize_ptsz(stream: StreamArg) on stream {
        door::stream_synchronize(stream)
    }
    fn cudaStreamWaitEvent | cudaStreamWaitEvent_ptsz(stream: StreamArg, event: Handle, flags: u32) on stream {
        door::stream_wait_event(stream, event, flags)
    }
    fn cudaStreamGetDevice | cudaStreamGetDevice_ptsz(stream: StreamArg, to: Out<i32>) on stream {
        to.check()?.set(stream.get()?.context()?.device)
    }
    fn cudaStreamGetId | cudaStreamGetId_ptsz(stream: StreamArg, to: Out<u64>) on stream {
        to.check()?.set(stream.get()?.id.load(Ordering::Relaxed))
    }
    fn cudaStreamGetFlags | cudaStreamGetFlags_ptsz(stream: StreamArg, to: Out<u32>) on stream {
        to.check()?.set(stream.get()?.flags.load(Ordering::Relaxed))
    }
    fn cudaStreamGetPriority | cudaStreamGetPriority_ptsz(stream: StreamArg, to: Out<i32>) on stream {
        to.check()?.set(stream.get()?.priority.load(Ordering::Relaxed))
    }
    fn cudaLaunchHostFunc | cudaLaunchHostFunc_ptsz(stream: StreamArg, function: Option<Function>, user: User) on stream {
        launch(stream, function, user)
    }
    fn cudaStreamAddCallback | cudaStreamAddCallback_ptsz(stream: StreamArg, function: Option<Callback>, user: User, flags: u32) on stream {
        add_callback(stream, function, user, flags)
    }
    fn cudaStreamBeginCapture | cudaStreamBeginCapture_ptsz(stream: StreamArg, mode: u32) on stream {
        door::stream_begin_capture(stream, mode)
    }
    fn cudaStreamEndCapture | cudaStreamEndCapture_ptsz(stream: StreamArg, to: Out<Handle>) on stream {
        door::stream_end_capture(stream, to)
    }
    fn cudaStreamIsCapturing | cudaStreamIsCapturing_ptsz(stream: StreamArg, to: Out<i32>) on stream {
        is_capturing(stream, to)
    }
    fn cudaStreamGetCaptureInfo | cudaStreamGetCaptureInfo_ptsz(stream: StreamArg, status: Out<i32>, id: Out<u64>, graph: Out<Handle>, nodes: Out<*const c_void>, edges: Out<*const c_void>, count: Out<usize>) on stream {
        CaptureInfo { status, id, graph, nodes, edges, count }.get(stream)
    }
    fn cudaStreamGetCaptureInfo_v3 | cudaStreamGetCaptureInfo_v3_ptsz(stream: StreamArg, status: Out<i32>, id: Out<u64>, graph: Out<Handle>, nodes: Out<*const c_void>, edges: Out<*const c_void>, count: Out<usize>) on stream {
        CaptureInfo { status, id, graph, nodes, edges, count }.get(stream)
    }
    fn cudaStreamGetCaptureInfo_v2 | cudaStreamGetCaptureInfo_v2_ptsz(stream: StreamArg, status: Out<i32>, id: Out<u64>, graph: Out<Handle>, nodes: Out<*const c_void>, count: Out<usize>) on stream {
        CaptureInfo { status, id, graph, nodes, edges: Out::NONE, count }.get(stream)
    }
    fn cudaThreadExchangeStreamCaptureMode(mode: Out<u32>) {
        let before = capture::exchange_mode(mode.get()?)?;
        mode.set(before)
    }
}
