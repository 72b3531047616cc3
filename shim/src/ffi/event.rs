//! Events.

use super::boundary::exports;
use crate::driver::types::{Event, Stream};
use crate::{events, process, streams};
use std::ffi::c_void;

/// The answer for an event of which nothing needs to be asked.
#[inline]
fn settled(event: Event) -> Option<i32> {
    (process::is_calm() && events::is_settled(event)).then_some(0)
}

exports! {
    fn cuEventCreate(out: *mut Event, flags: u32) |call| {
        let code = call.driver();
        if code == 0 {
            // SAFETY: the driver has written the event there.
            events::made(call, unsafe { out.read_unaligned() }, flags);
        }
        Ok(code)
    }
    /// Who signals the event is not the driver.
    fn cuEventCreateFromEGLSync(out: *mut Event, sync: *mut c_void, flags: u32) |call| {
        let code = call.driver();
        if code == 0 {
            // SAFETY: the driver has written the event there.
            events::made_shared(call, unsafe { out.read_unaligned() }, flags);
        }
        Ok(code)
    }
    fn cuEventDestroy(event: Event) |call| {
        events::destroy(call, event)
    }
    fn cuEventDestroy_v2(event: Event) |call| {
        events::destroy(call, event)
    }
    fn cuEventQuery(event: Event) at_once { settled(event) } |call| {
        events::query(call, event)
    }
    fn cuEventSynchronize(event: Event) at_once { settled(event) } |call| {
        events::query(call, event)
    }
    fn cuEventRecord(event: Event, stream: Stream) |call| {
        events::record(call, event, stream, 0)
    }
    fn cuEventRecord_ptsz(event: Event, stream: Stream) |call| {
        events::record(call, event, stream, 0)
    }
    fn cuEventRecordWithFlags(event: Event, stream: Stream, flags: u32) |call| {
        events::record(call, event, stream, flags)
    }
    fn cuEventRecordWithFlags_ptsz(event: Event, stream: Stream, flags: u32) |call| {
        events::record(call, event, stream, flags)
    }
    fn cuEventElapsedTime(ms: *mut f32, start: Event, end: Event) |call| {
        events::elapsed(call, start, end)
    }
    fn cuEventElapsedTime_v2(ms: *mut f32, start: Event, end: Event) |call| {
        events::elapsed(call, start, end)
    }
    fn cuStreamWaitEvent(stream: Stream, event: Event, flags: u32) |call| {
        streams::check(stream, call.mode)?;
        events::read(call, event)
    }
    fn cuStreamWaitEvent_ptsz(stream: Stream, event: Event, flags: u32) |call| {
        streams::check(stream, call.mode)?;
        events::read(call, event)
    }
}
