//! Streams, host functions, and captures.

use crate::boundary::{Out, StreamArg, User, exports};
use crate::capture;
use crate::driver::stream::{CaptureInfo, add_callback, end_capture, is_capturing, launch, wait};
use crate::stream;
use crate::table::Handle;
use crate::work::{Callback, Function};
use std::ffi::c_void;
use std::sync::atomic::Ordering;

exports! { inside;
    fn cudaStreamCreate(to: Out<Handle>) {
        to.check()?.set(stream::create(0, 0)?)
    }
    fn cudaStreamCreateWithFlags(to: Out<Handle>, flags: u32) {
        to.check()?.set(stream::create(flags, 0)?)
    }
    fn cudaStreamCreateWithPriority(to: Out<Handle>, flags: u32, priority: i32) {
        to.check()?.set(stream::create(flags, priority)?)
    }
    fn cudaStreamDestroy(handle: Handle) {
        stream::destroy(handle)
    }
    fn cudaStreamQuery | cudaStreamQuery_ptsz(stream: StreamArg) on stream {
        stream.get()?.query()
    }
    fn cudaStreamSynchronize | cudaStreamSynchronize_ptsz(stream: StreamArg) on stream {
        stream.get()?.synchronize()
    }
    fn cudaStreamWaitEvent | cudaStreamWaitEvent_ptsz(stream: StreamArg, event: Handle, flags: u32) on stream {
        wait(stream, event, flags)
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
        capture::begin(stream.get()?, mode)
    }
    fn cudaStreamEndCapture | cudaStreamEndCapture_ptsz(stream: StreamArg, to: Out<Handle>) on stream {
        end_capture(stream, to)
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
