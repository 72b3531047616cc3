//! Streams: which ones live, and what they report.

use super::boundary::exports;
use crate::driver::types::{GreenContext, Stream};
use crate::streams;

exports! {
    fn cuStreamCreate(out: *mut Stream, flags: u32) |call| {
        let code = call.driver();
        if code == 0 {
            // SAFETY: the driver has written the stream there.
            streams::made(unsafe { out.read_unaligned() });
        }
        Ok(code)
    }
    fn cuStreamCreateWithPriority(out: *mut Stream, flags: u32, priority: i32) |call| {
        let code = call.driver();
        if code == 0 {
            // SAFETY: the driver has written the stream there.
            streams::made(unsafe { out.read_unaligned() });
        }
        Ok(code)
    }
    fn cuGreenCtxStreamCreate(out: *mut Stream, context: GreenContext, flags: u32, priority: i32) |call| {
        let code = call.driver();
        if code == 0 {
            // SAFETY: the driver has written the stream there.
            streams::made(unsafe { out.read_unaligned() });
        }
        Ok(code)
    }
    fn cuStreamDestroy(stream: Stream) |call| {
        streams::destroy(call, stream)
    }
    fn cuStreamDestroy_v2(stream: Stream) |call| {
        streams::destroy(call, stream)
    }
    fn cuStreamQuery(stream: Stream) |call| {
        streams::check(stream, call.mode).map(|()| call.driver())
    }
    fn cuStreamQuery_ptsz(stream: Stream) |call| {
        streams::check(stream, call.mode).map(|()| call.driver())
    }
    fn cuStreamSynchronize(stream: Stream) |call| {
        streams::check(stream, call.mode).map(|()| call.driver())
    }
    fn cuStreamSynchronize_ptsz(stream: Stream) |call| {
        streams::check(stream, call.mode).map(|()| call.driver())
    }
}
