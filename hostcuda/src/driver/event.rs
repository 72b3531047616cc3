//! Events.

use crate::boundary::{Out, StreamArg, exports, through};
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

exports! { driver, inside;
    fn cuEventCreate = cudaEventCreateWithFlags(to: Out<Handle>, flags: u32) { to.check()?.set(event::create(flags)?) }
    fn cuEventRecord = cudaEventRecord(event: Handle, stream: StreamArg) on stream { record(event, stream, 0) }
    fn cuEventRecordWithFlags = cudaEventRecordWithFlags(event: Handle, stream: StreamArg, flags: u32) on stream { record(event, stream, flags) }
    fn cuIpcGetEventHandle = cudaIpcGetEventHandle(to: Out<[u8; 64]>, handle: Handle) { to.check()?.set(event::export(handle)?) }
    fn cuIpcOpenEventHandle = cudaIpcOpenEventHandle(to: Out<Handle>, handle: IpcHandle) { to.check()?.set(event::import(&handle.0)?) }
}

// These work without a current context.
exports! { driver, runtime;
    fn cuEventDestroy_v2 = cudaEventDestroy(handle: Handle) { event::destroy(handle) }
    fn cuEventQuery = cudaEventQuery(handle: Handle) { event::get(handle)?.query() }
    fn cuEventSynchronize = cudaEventSynchronize(handle: Handle) { event::get(handle)?.synchronize() }
}

exports! { driver;
    fn cuEventElapsedTime = cuEventElapsedTime_v2(ms: Out<f32>, start: Handle, end: Handle) {
        // A driver treats this NULL as an invalid handle.
        if ms.is_null() { Err(Code::INVALID_HANDLE) } else { ms.set(event::elapsed(start, end)?) }
    }
    fn cuEventDestroy(handle: Handle) { event::destroy(handle) }
}

exports! { inside;
    fn cudaEventCreate(to: Out<Handle>) {
        let flags = 0;
        through!(cuEventCreate(to: Out<Handle>, flags: u32))
    }
}

exports! { runtime;
    fn cudaEventElapsedTime = cudaEventElapsedTime_v2(ms: Out<f32>, start: Handle, end: Handle) {
        ms.check()?;
        through!(cuEventElapsedTime_v2(ms: Out<f32>, start: Handle, end: Handle))
    }
}
