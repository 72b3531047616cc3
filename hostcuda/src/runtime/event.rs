//! Events.

use crate::boundary::{Out, StreamArg, exports};
use crate::code::Result;
use crate::driver::event::{IpcHandle, record};
use crate::event;
use crate::table::Handle;

fn elapsed(ms: Out<f32>, start: Handle, end: Handle) -> Result {
    ms.check()?.set(event::elapsed(start, end)?)
}

exports! { inside;
    fn cudaEventCreate(to: Out<Handle>) {
        to.check()?.set(event::create(0)?)
    }
    fn cudaEventCreateWithFlags(to: Out<Handle>, flags: u32) {
        to.check()?.set(event::create(flags)?)
    }
    fn cudaEventRecord | cudaEventRecord_ptsz(event: Handle, stream: StreamArg) on stream {
        record(event, stream, 0)
    }
    fn cudaEventRecordWithFlags | cudaEventRecordWithFlags_ptsz(event: Handle, stream: StreamArg, flags: u32) on stream {
        record(event, stream, flags)
    }
    fn cudaIpcGetEventHandle(to: Out<[u8; 64]>, handle: Handle) {
        to.check()?.set(event::export(handle)?)
    }
    fn cudaIpcOpenEventHandle(to: Out<Handle>, handle: IpcHandle) {
        to.check()?.set(event::import(&handle.0)?)
    }
}

exports! { runtime;
    fn cudaEventDestroy(handle: Handle) {
        event::destroy(handle)
    }
    fn cudaEventQuery(handle: Handle) {
        event::get(handle)?.query()
    }
    fn cudaEventSynchronize(handle: Handle) {
        event::get(handle)?.synchronize()
    }
    fn cudaEventElapsedTime(ms: Out<f32>, start: Handle, end: Handle) {
        elapsed(ms, start, end)
    }
    fn cudaEventElapsedTime_v2(ms: Out<f32>, start: Handle, end: Handle) {
        elapsed(ms, start, end)
    }
}
