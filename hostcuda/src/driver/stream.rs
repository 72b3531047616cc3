//! Stream properties, host functions, and capture queries.

use crate::boundary::{Out, StreamArg, exports, through};
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::submit::submit;
use crate::work::{Callback, Function, User, Work};
use crate::{capture, context, event, stream, submit};
use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::atomic::Ordering;

/// The results of the different forms of cuStreamGetCaptureInfo.
#[derive(Clone, Copy)]
struct CaptureInfo {
    status: Out<i32>,
    id: Out<u64>,
    graph: Out<Handle>,
    nodes: Out<*const Handle>,
    edges: Out<*const c_void>,
    count: Out<usize>,
}

thread_local! {
    static ENDS: RefCell<Vec<Handle>> = const { RefCell::new(Vec::new()) };
}

impl CaptureInfo {
    /// Writes the results. The node array is thread-local and valid until the thread's next query.
    fn get(self, stream: StreamArg) -> Result {
        let stream = stream.get()?;
        capture::check_question(stream)?;
        let capture = capture::of(stream);
        self.status.set(capture.as_ref().map_or(0, |capture| capture.status()))?;
        if let Some(capture) = capture {
            self.id.offer(capture.id);
            self.graph.offer(capture.graph);
            let ends = capture.ends(stream)?;
            self.count.offer(ends.len());
            self.edges.offer(std::ptr::null());
            if !self.nodes.is_null() {
                let kept = ENDS.try_with(|place| {
                    let mut place = place.borrow_mut();
                    *place = ends;
                    place.as_ptr()
                });
                self.nodes.offer(kept.unwrap_or(std::ptr::null()));
            }
        }
        Ok(())
    }
}

exports! { driver, inside;
    fn cuStreamGetDevice = cudaStreamGetDevice(stream: StreamArg, to: Out<i32>) on stream { to.check()?.set(stream.get()?.context()?.device) }
    fn cuStreamGetId = cudaStreamGetId(stream: StreamArg, to: Out<u64>) on stream {
        let (to, stream) = (to.check()?, stream.get()?);
        capture::check_uncaptured(stream)?;
        to.set(stream.id.load(Ordering::Relaxed))
    }
    fn cuStreamGetFlags = cudaStreamGetFlags(stream: StreamArg, to: Out<u32>) on stream {
        let (to, stream) = (to.check()?, stream.get()?);
        capture::check_uncaptured(stream)?;
        to.set(stream.flags.load(Ordering::Relaxed))
    }
    fn cuStreamGetPriority = cudaStreamGetPriority(stream: StreamArg, to: Out<i32>) on stream {
        to.check()?.set(stream.get()?.priority.load(Ordering::Relaxed))
    }
    fn cuLaunchHostFunc = cudaLaunchHostFunc(stream: StreamArg, function: Option<Function>, user: User) on stream {
        submit(stream.get()?, Work::Call(function.ok_or(Code::INVALID_VALUE)?, user))
    }
    fn cuStreamAddCallback = cudaStreamAddCallback(stream: StreamArg, function: Option<Callback>, user: User, flags: u32) on stream {
        let function = function.filter(|_| flags == 0).ok_or(Code::INVALID_VALUE)?;
        let target = stream.get()?;
        capture::check_uncaptured(target)?;
        Work::CallBack(function, stream.0, user).give(target)
    }
    /// An invalidated capture counts until it is ended.
    fn cuStreamIsCapturing = cudaStreamIsCapturing(stream: StreamArg, to: Out<i32>) on stream {
        let stream = stream.get()?;
        capture::check_question(stream)?;
        to.set(capture::of(stream).map_or(0, |capture| capture.status()))
    }
    fn cuStreamGetCaptureInfo_v2
        = cudaStreamGetCaptureInfo_v2
        (stream: StreamArg, status: Out<i32>, id: Out<u64>, graph: Out<Handle>, nodes: Out<*const Handle>,
         count: Out<usize>) on stream {
        CaptureInfo { status, id, graph, nodes, edges: Out::NONE, count }.get(stream)
    }
    fn cuStreamGetCaptureInfo_v3
        = cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo
        (stream: StreamArg, status: Out<i32>, id: Out<u64>, graph: Out<Handle>, nodes: Out<*const Handle>,
         edges: Out<*const c_void>, count: Out<usize>) on stream {
        CaptureInfo { status, id, graph, nodes, edges, count }.get(stream)
    }
    fn cuThreadExchangeStreamCaptureMode = cudaThreadExchangeStreamCaptureMode(mode: Out<u32>) {
        let before = capture::exchange_mode(mode.get()?);
        mode.set(before)
    }
}

fn create(to: Out<Handle>, flags: u32, priority: i32) -> Result {
    to.check()?.set(stream::create(context::current()?, flags, priority)?)
}

/// Makes the stream wait for the event.
fn wait(stream: StreamArg, event: Handle, flags: u32) -> Result {
    if flags > 1 {
        return Err(Code::INVALID_VALUE);
    }
    event::get(event)?.wait(event, stream.get_for_event()?, flags == 1)
}

/// Ends a capture. An invalidated capture creates no graph. Without a result pointer, a graph that the capture created is destroyed.
fn end_capture(stream: StreamArg, to: Out<Handle>) -> Result {
    let ended = capture::end(stream.get()?, !to.is_null());
    to.offer(ended.unwrap_or(0));
    ended.map(drop)
}

exports! { driver;
    fn cuStreamCreate(to: Out<Handle>, flags: u32) { create(to, flags, 0) }
    fn cuStreamDestroy(handle: Handle) { submit::destroy(handle) }
    fn cuStreamGetCtx(stream: StreamArg, to: Out<Handle>) on stream { to.check()?.set(stream.get()?.context()?.handle()) }
    fn cuStreamBeginCapture(stream: StreamArg) on stream { capture::begin(stream.get()?, capture::GLOBAL) }
}

exports! { driver, inside;
    fn cuStreamCreateWithPriority = cudaStreamCreateWithPriority(to: Out<Handle>, flags: u32, priority: i32) { create(to, flags, priority) }
    fn cuStreamDestroy_v2 = cudaStreamDestroy(handle: Handle) { submit::destroy(handle) }
    fn cuStreamQuery = cudaStreamQuery(stream: StreamArg) on stream { submit::query(stream.get()?) }
    fn cuStreamSynchronize = cudaStreamSynchronize(stream: StreamArg) on stream { submit::synchronize(stream.get()?) }
    fn cuStreamWaitEvent = cudaStreamWaitEvent(stream: StreamArg, event: Handle, flags: u32) on stream { wait(stream, event, flags) }
    fn cuStreamBeginCapture_v2 = cudaStreamBeginCapture(stream: StreamArg, mode: u32) on stream { capture::begin(stream.get()?, mode) }
    fn cuStreamEndCapture = cudaStreamEndCapture(stream: StreamArg, to: Out<Handle>) on stream { end_capture(stream, to) }
}

// CUDA 12 has this form under the plain name.
exports! { driver, inside_12;
    fn cuStreamGetCaptureInfo = cudaStreamGetCaptureInfo(stream: StreamArg, status: Out<i32>, id: Out<u64>) on stream {
        CaptureInfo { status, id, graph: Out::NONE, nodes: Out::NONE, edges: Out::NONE, count: Out::NONE }.get(stream)
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
}
