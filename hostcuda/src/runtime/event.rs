//! Events.

use super::entry_points;
use crate::boundary::{Out, StreamArg, exports};
use crate::code::Result;
use crate::handle::Handle;
use cuda_abi::IpcHandle;

fn elapsed(ms: Out<f32>, start: Handle, end: Handle) -> Result {
    entry_points::event_elapsed(ms.check()?, start, end)
}

exports! { inside;
    fn cudaEventCreate(to: Out<Handle>) {
        entry_points::event_create(to, 0)
    }
    fn cudaEventCreateWithFlags(to: Out<Handle>, flags: u32) {
        entry_points::event_create(to, flags)
    }
    fn cudaEventRecord | cudaEventRecord_ptsz(event: Handle, stream: StreamArg) on stream {
        entry_points::event_record(event, stream)
    }
    fn cudaEventRecordWithFlags | cudaEventRecordWithFlags_ptsz(event: Handle, stream: StreamArg, flags: u32) on stream {
        entry_points::event_record_with_flags(event, stream, flags)
    }
    fn cudaIpcGetEventHandle(to: Out<[u8; 64]>, handle: Handle) {
        entry_points::ipc_get_event(to, handle)
    }
    fn cudaIpcOpenEventHandle(to: Out<Handle>, handle: IpcHandle) {
        entry_points::ipc_open_event(to, handle)
    }
}

exports! { runtime;
    fn cudaEventDestroy(handle: Handle) {
        entry_points::event_destroy(handle)
    }
    fn cudaEventQuery(handle: Handle) {
        entry_points::event_query(handle)
    }
    fn cudaEventSynchronize(handle: Handle) {
        entry_points::event_synchronize(handle)
    }
    fn cudaEventElapsedTime(ms: Out<f32>, start: Handle, end: Handle) {
        elapsed(ms, start, end)
    }
    fn cudaEventElapsedTime_v2(ms: Out<f32>, start: Handle, end: Handle) {
        elapsed(ms, start, end)
    }
}
