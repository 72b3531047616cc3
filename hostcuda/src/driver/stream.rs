//! Streams, and captures on them.

use crate::both::stream::CaptureInfo;
use crate::boundary::{Out, StreamArg, exports};
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::{capture, context, event, stream, submit};

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
    fn cuStreamCreateWithPriority(to: Out<Handle>, flags: u32, priority: i32) {
        create(to, flags, priority)
    }
    fn cuStreamDestroy(handle: Handle) {
        submit::destroy(handle)
    }
    fn cuStreamDestroy_v2(handle: Handle) {
        submit::destroy(handle)
    }
    fn cuStreamQuery | cuStreamQuery_ptsz(stream: StreamArg) on stream {
        submit::query(stream.get()?)
    }
    fn cuStreamSynchronize | cuStreamSynchronize_ptsz(stream: StreamArg) on stream {
        submit::synchronize(stream.get()?)
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
    fn cuStreamBeginCapture | cuStreamBeginCapture_ptsz(stream: StreamArg) on stream {
        capture::begin(stream.get()?, capture::GLOBAL)
    }
    fn cuStreamBeginCapture_v2 | cuStreamBeginCapture_v2_ptsz(stream: StreamArg, mode: u32) on stream {
        capture::begin(stream.get()?, mode)
    }
    fn cuStreamEndCapture | cuStreamEndCapture_ptsz(stream: StreamArg, to: Out<Handle>) on stream {
        end_capture(stream, to)
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
