//! Streams, and captures on them.

use crate::both::stream::CaptureInfo;
use crate::boundary::{Out, StreamArg, exports, through};
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::{capture, context, event, stream, submit};
use std::ffi::c_void;

fn create(to: Out<Handle>, flags: u32, priority: i32) -> Result {
    to.check()?.set(stream::create(context::current()?, flags, priority)?)
}

/// Lets the stream wait for the event.
fn wait(stream: StreamArg, event: Handle, flags: u32) -> Result {
    if flags > 1 {
        return Err(Code::INVALID_VALUE);
    }
    event::get(event)?.wait(event, stream.get_for_event()?, flags == 1)
}

/// Ends a capture. An invalidated one makes no graph, and a graph that nobody wants goes.
fn end_capture(stream: StreamArg, to: Out<Handle>) -> Result {
    let ended = capture::end(stream.get()?, !to.is_null());
    to.offer(ended.unwrap_or(0));
    ended.map(drop)
}

exports! { driver;
    fn cuStreamCreate(to: Out<Handle>, flags: u32) {
        create(to, flags, 0)
    }
    fn cuStreamDestroy(handle: Handle) {
        submit::destroy(handle)
    }
    fn cuStreamGetCtx | cuStreamGetCtx_ptsz(stream: StreamArg, to: Out<Handle>) on stream {
        to.check()?.set(stream.get()?.context()?.handle())
    }
    fn cuStreamGetCtx_v2 | cuStreamGetCtx_v2_ptsz(stream: StreamArg, to: Out<Handle>, green: Out<Handle>) on stream {
        to.check()?.set(stream.get()?.context()?.handle())?;
        green.offer(0);
        Ok(())
    }
    fn cuStreamBeginCapture | cuStreamBeginCapture_ptsz(stream: StreamArg) on stream {
        capture::begin(stream.get()?, capture::GLOBAL)
    }
    fn cuStreamGetCaptureInfo | cuStreamGetCaptureInfo_ptsz(stream: StreamArg, status: Out<i32>, id: Out<u64>) on stream {
        CaptureInfo { status, id, graph: Out::NONE, nodes: Out::NONE, edges: Out::NONE, count: Out::NONE }.get(stream)
    }
    /// The attributes of streams are about kernels and memory windows: taken, and without effect.
    fn cuStreamCopyAttributes | cuStreamCopyAttributes_ptsz(to: StreamArg, from: StreamArg) on to {
        context::current()?;
        from.get()?;
        to.get().map(drop)
    }
}

exports! { driver, inside;
    fn cuStreamCreateWithPriority = cudaStreamCreateWithPriority(to: Out<Handle>, flags: u32, priority: i32) {
        create(to, flags, priority)
    }
    fn cuStreamDestroy_v2 = cudaStreamDestroy(handle: Handle) {
        submit::destroy(handle)
    }
    fn cuStreamQuery | cuStreamQuery_ptsz = cudaStreamQuery | cudaStreamQuery_ptsz(stream: StreamArg) on stream {
        submit::query(stream.get()?)
    }
    fn cuStreamSynchronize | cuStreamSynchronize_ptsz = cudaStreamSynchronize | cudaStreamSynchronize_ptsz(stream: StreamArg) on stream {
        submit::synchronize(stream.get()?)
    }
    fn cuStreamWaitEvent | cuStreamWaitEvent_ptsz = cudaStreamWaitEvent | cudaStreamWaitEvent_ptsz(stream: StreamArg, event: Handle, flags: u32) on stream {
        wait(stream, event, flags)
    }
    fn cuStreamBeginCapture_v2 | cuStreamBeginCapture_v2_ptsz = cudaStreamBeginCapture | cudaStreamBeginCapture_ptsz(stream: StreamArg, mode: u32) on stream {
        capture::begin(stream.get()?, mode)
    }
    fn cuStreamEndCapture | cuStreamEndCapture_ptsz = cudaStreamEndCapture | cudaStreamEndCapture_ptsz(stream: StreamArg, to: Out<Handle>) on stream {
        end_capture(stream, to)
    }
}

exports! { inside;
    fn cudaStreamCreate(to: Out<Handle>) {
        let (flags, priority) = (0, 0);
        through!(cuStreamCreateWithPriority(to: Out<Handle>, flags: u32, priority: i32))
    }
    fn cudaStreamCreateWithFlags(to: Out<Handle>, flags: u32) {
        let priority = 0;
        through!(cuStreamCreateWithPriority(to: Out<Handle>, flags: u32, priority: i32))
    }
    fn cudaStreamGetCaptureInfo | cudaStreamGetCaptureInfo_ptsz(stream: StreamArg, status: Out<i32>, id: Out<u64>, graph: Out<Handle>, nodes: Out<*const Handle>, edges: Out<*const c_void>, count: Out<usize>) on stream {
        CaptureInfo { status, id, graph, nodes, edges, count }.get(stream)
    }
}
