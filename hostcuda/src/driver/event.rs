//! Events.

use crate::boundary::{Out, StreamArg, exports};
use crate::code::{Code, Result};
use crate::event;
use crate::handle::Handle;
use cuda_abi::IpcHandle;

fn record(event: Handle, stream: StreamArg, flags: u32) -> Result {
    if flags > 1 {
        return Err(Code::INVALID_VALUE);
    }
    event::get(event)?.record(event, stream.get_for_event()?, flags == 1)
}

fn elapsed(ms: Out<f32>, start: Handle, end: Handle) -> Result {
    // A driver counts this NULL among the handles.
    if ms.is_null() { Err(Code::INVALID_HANDLE) } else { ms.set(event::elapsed(start, end)?) }
}

exports! { driver;
    fn cuEventCreate(to: Out<Handle>, flags: u32) {
        to.check()?.set(event::create(flags)?)
    }
    fn cuEventDestroy(handle: Handle) {
        event::destroy(handle)
    }
    fn cuEventDestroy_v2(handle: Handle) {
        event::destroy(handle)
    }
    fn cuEventRecord | cuEventRecord_ptsz(event: Handle, stream: StreamArg) on stream {
        record(event, stream, 0)
    }
    fn cuEventRecordWithFlags | cuEventRecordWithFlags_ptsz(event: Handle, stream: StreamArg, flags: u32) on stream {
        record(event, stream, flags)
    }
    fn cuEventQuery(handle: Handle) {
        event::get(handle)?.query()
    }
    fn cuEventSynchronize(handle: Handle) {
        event::get(handle)?.synchronize(handle)
    }
    fn cuEventElapsedTime(ms: Out<f32>, start: Handle, end: Handle) {
        elapsed(ms, start, end)
    }
    fn cuEventElapsedTime_v2(ms: Out<f32>, start: Handle, end: Handle) {
        elapsed(ms, start, end)
    }
    fn cuIpcGetEventHandle(to: Out<[u8; 64]>, handle: Handle) {
        to.check()?.set(event::export(handle)?)
    }
    fn cuIpcOpenEventHandle(to: Out<Handle>, handle: IpcHandle) {
        to.check()?.set(event::import(&handle.0)?)
    }
}
