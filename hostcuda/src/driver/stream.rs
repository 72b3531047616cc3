//! Streams, host functions, and captures.

use crate::boundary::{Out, StreamArg, User, exports};
use crate::capture;
use crate::code::{Code, Result};
use crate::stream;
use crate::table::Handle;
use crate::work::{Callback, Function, Work};
use crate::{context, event, graph};
use std::ffi::c_void;
use std::sync::atomic::Ordering;

/// What the three forms of cuStreamGetCaptureInfo tell.
#[derive(Clone, Copy)]
pub(crate) struct CaptureInfo {
    pub(crate) status: Out<i32>,
    pub(crate) id: Out<u64>,
    pub(crate) graph: Out<Handle>,
    pub(crate) nodes: Out<*const c_void>,
    pub(crate) edges: Out<*const c_void>,
    pub(crate) count: Out<usize>,
}

impl CaptureInfo {
    /// The graph and its nodes have no handles before the capture ends.
    pub(crate) fn get(self, stream: StreamArg) -> Result {
        let capture = stream.get()?.capture();
        self.status.set(capture.as_ref().map_or(0, |capture| capture.status()))?;
        if let Some(capture) = capture {
            self.id.offer(capture.id);
            self.graph.offer(0);
            self.nodes.offer(std::ptr::null());
            self.edges.offer(std::ptr::null());
            self.count.offer(0);
        }
        Ok(())
    }
}

/// Calls `function` in the stream's order, with the code of success.
pub(crate) fn add_callback(stream: StreamArg, function: Option<Callback>, user: User, flags: u32) -> Result {
    let function = function.filter(|_| flags == 0).ok_or(Code::INVALID_VALUE)?;
    let target = stream.get()?;
    if let Some(capture) = target.capture() {
        capture.invalidate();
        return Err(Code::STREAM_CAPTURE_UNSUPPORTED);
    }
    target.submit(Work::CallBack(function, stream.0, user))
}

/// Calls `function` in the stream's order.
pub(crate) fn launch(stream: StreamArg, function: Option<Function>, user: User) -> Result {
    stream.get()?.submit(Work::Call(function.ok_or(Code::INVALID_VALUE)?, user))
}

/// Lets the stream wait for the event.
pub(crate) fn wait(stream: StreamArg, event: Handle, flags: u32) -> Result {
    if flags > 1 {
        return Err(Code::INVALID_VALUE);
    }
    event::get(event)?;
    event::wait(stream.get()?, event, flags == 1)
}

/// Ends a capture; a spoiled one gives no graph.
pub(crate) fn end_capture(stream: StreamArg, to: Out<Handle>) -> Result {
    to.check()?;
    match capture::end(stream.get()?) {
        Ok(captured) => to.set(graph::keep(captured)?),
        Err(code) => {
            to.set(0)?;
            Err(code)
        }
    }
}

/// Is the stream being captured? A spoiled capture counts until it is ended.
pub(crate) fn is_capturing(stream: StreamArg, to: Out<i32>) -> Result {
    let stream = stream.get()?;
    stream.check_implicit()?;
    to.set(stream.capture().map_or(0, |capture| capture.status()))
}

fn destroy(handle: Handle) -> Result {
    stream::destroy(handle)
}

exports! { driver;
    fn cuStreamCreate(to: Out<Handle>, flags: u32) {
        to.check()?.set(stream::create(flags, 0)?)
    }
    fn cuStreamCreateWithPriority(to: Out<Handle>, flags: u32, priority: i32) {
        to.check()?.set(stream::create(flags, priority)?)
    }
    fn cuStreamDestroy(handle: Handle) {
        destroy(handle)
    }
    fn cuStreamDestroy_v2(handle: Handle) {
        destroy(handle)
    }
    fn cuStreamQuery | cuStreamQuery_ptsz(stream: StreamArg) on stream {
        stream.get()?.query()
    }
    fn cuStreamSynchronize | cuStreamSynchronize_ptsz(stream: StreamArg) on stream {
        stream.get()?.synchronize()
    }
    fn cuStreamWaitEvent | cuStreamWaitEvent_ptsz(stream: StreamArg, event: Handle, flags: u32) on stream {
        wait(stream, event, flags)
    }
    fn cuStreamGetCtx | cuStreamGetCtx_ptsz(stream: StreamArg, to: Out<Handle>) on stream {
        to.check()?.set(stream.get()?.context()?.handle())
    }
    fn cuStreamGetCtx_v2 | cuStreamGetCtx_v2_ptsz(stream: StreamArg, to: Out<Handle>, green: Out<Handle>) on stream {
        to.check()?.set(stream.get()?.context()?.handle())?;
        green.offer(0);
        Ok(())
    }
    fn cuStreamGetDevice | cuStreamGetDevice_ptsz(stream: StreamArg, to: Out<i32>) on stream {
        to.check()?.set(stream.get()?.context()?.device)
    }
    fn cuStreamGetId | cuStreamGetId_ptsz(stream: StreamArg, to: Out<u64>) on stream {
        to.check()?.set(stream.get()?.id.load(Ordering::Relaxed))
    }
    fn cuStreamGetFlags | cuStreamGetFlags_ptsz(stream: StreamArg, to: Out<u32>) on stream {
        to.check()?.set(stream.get()?.flags.load(Ordering::Relaxed))
    }
    fn cuStreamGetPriority | cuStreamGetPriority_ptsz(stream: StreamArg, to: Out<i32>) on stream {
        to.check()?.set(stream.get()?.priority.load(Ordering::Relaxed))
    }
    fn cuLaunchHostFunc | cuLaunchHostFunc_ptsz(stream: StreamArg, function: Option<Function>, user: User) on stream {
        launch(stream, function, user)
    }
    fn cuStreamAddCallback | cuStreamAddCallback_ptsz(stream: StreamArg, function: Option<Callback>, user: User, flags: u32) on stream {
        add_callback(stream, function, user, flags)
    }
    fn cuStreamBeginCapture | cuStreamBeginCapture_ptsz(stream: StreamArg) on stream {
        capture::begin(stream.get()?, capture::GLOBAL)
    }
    fn cuStreamBeginCapture_v2 | cuStreamBeginCapture_v2_ptsz(stream: StreamArg, mode: u32) on stream {
        capture::begin(stream.get()?, mode)
    }
    fn cuStreamEndCapture | cuStreamEndCapture_ptsz(stream: StreamArg, to: Out<Handle>) on stream {
        end_capture(stream, to)
    }
    fn cuStreamIsCapturing | cuStreamIsCapturing_ptsz(stream: StreamArg, to: Out<i32>) on stream {
        is_capturing(stream, to)
    }
    fn cuStreamGetCaptureInfo | cuStreamGetCaptureInfo_ptsz(stream: StreamArg, status: Out<i32>, id: Out<u64>) on stream {
        CaptureInfo { status, id, graph: Out::NONE, nodes: Out::NONE, edges: Out::NONE, count: Out::NONE }.get(stream)
    }
    fn cuStreamGetCaptureInfo_v2 | cuStreamGetCaptureInfo_v2_ptsz(stream: StreamArg, status: Out<i32>, id: Out<u64>, graph: Out<Handle>, nodes: Out<*const c_void>, count: Out<usize>) on stream {
        CaptureInfo { status, id, graph, nodes, edges: Out::NONE, count }.get(stream)
    }
    fn cuStreamGetCaptureInfo_v3 | cuStreamGetCaptureInfo_v3_ptsz(stream: StreamArg, status: Out<i32>, id: Out<u64>, graph: Out<Handle>, nodes: Out<*const c_void>, edges: Out<*const c_void>, count: Out<usize>) on stream {
        CaptureInfo { status, id, graph, nodes, edges, count }.get(stream)
    }
    fn cuThreadExchangeStreamCaptureMode(mode: Out<u32>) {
        let before = capture::exchange_mode(mode.get()?)?;
        mode.set(before)
    }
    /// The attributes of streams are about kernels and memory windows: taken, and without effect.
    fn cuStreamCopyAttributes | cuStreamCopyAttributes_ptsz(to: StreamArg, from: StreamArg) on to {
        context::current()?;
        from.get()?;
        to.get().map(drop)
    }
}
