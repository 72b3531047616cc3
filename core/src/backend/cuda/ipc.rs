//! The driver's interprocess events. Its handle is passed on as it is.

use super::native::NativeContext;
use crate::backend::IpcHandle;
use crate::error::{Error, Result};
use crate::status::Status;
use cudarc::driver::sys::CUevent;

/// The handle of a native event.
pub(super) fn export(context: &NativeContext, event: u64) -> Result<IpcHandle> {
    let mut handle = cuda_abi::IpcHandle([0; 64]);
    // SAFETY: the pointer is valid, and the event lives as its cell does.
    context.with_current(|| unsafe { (context.driver.ipc_get)(&mut handle, event as CUevent) })?;
    Ok(handle.0)
}

/// A native event for another process's.
pub(super) fn import(context: &NativeContext, handle: &IpcHandle) -> Result<u64> {
    let mut event: CUevent = std::ptr::null_mut();
    // SAFETY: the pointer is valid; the driver checks the bytes.
    let opened =
        context.with_current(|| unsafe { (context.driver.ipc_open)(&mut event, cuda_abi::IpcHandle(*handle)) });
    opened.map(|()| event as u64).map_err(|error| match error {
        Error::Backend(Status::MAP_FAILED) => Error::IpcBadHandle,
        Error::Backend(Status::INVALID_CONTEXT) => Error::IpcSameProcess,
        other => other,
    })
}
