//! The driver's functions, looked up by name at run time.
//!
//! The types are cudarc's. The calls are not: cudarc returns a closed enum, which cannot represent codes that a newer
//! driver adds, and it panics on a missing symbol.

use crate::error::{Error, Result};
use crate::lifecycle::watch_exit;
use crate::os::library::{self, Library};
use crate::process::Uncancelled;
use cuda_abi::IpcHandle;
use cudarc::driver::sys::{CUcontext, CUdevice, CUevent, CUstream};
use once_cell::sync::OnceCell;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// A CUDA result code.
pub(crate) type Code = u32;

// A function may have an older name, with the same type.
macro_rules! driver {
    (
        needed { $($field:ident: fn($($argument:ty),*) = $symbol:literal $(or $older:literal)?;)* }
        optional { $($maybe:ident: fn($($maybe_argument:ty),*) = $maybe_symbol:literal $(or $maybe_older:literal)?;)* }
    ) => {
        /// The driver's functions.
        pub(crate) struct Driver {
            $(pub(crate) $field: unsafe extern "C" fn($($argument),*) -> Code,)*
            $(pub(crate) $maybe: Option<unsafe extern "C" fn($($maybe_argument),*) -> Code>,)*
        }

        impl Driver {
            fn look_up(library: &Library) -> Result<Driver> {
                Ok(Driver {
                    // SAFETY: the driver's documentation gives the symbols these types.
                    $($field: unsafe { library.get($symbol)$(.or_else(|| library.get($older)))? }.ok_or(TOO_OLD)?,)*
                    // SAFETY: as above.
                    $($maybe: unsafe { library.get($maybe_symbol)$(.or_else(|| library.get($maybe_older)))? },)*
                })
            }
        }
    };
}

driver! {
    needed {
        init: fn(c_uint) = b"cuInit\0";
        device_count: fn(*mut c_int) = b"cuDeviceGetCount\0";
        device_get: fn(*mut CUdevice, c_int) = b"cuDeviceGet\0";
        primary_retain: fn(*mut CUcontext, CUdevice) = b"cuDevicePrimaryCtxRetain\0";
        primary_release: fn(CUdevice) = b"cuDevicePrimaryCtxRelease_v2\0";
        current_get: fn(*mut CUcontext) = b"cuCtxGetCurrent\0";
        current_push: fn(CUcontext) = b"cuCtxPushCurrent_v2\0";
        current_pop: fn(*mut CUcontext) = b"cuCtxPopCurrent_v2\0";
        context_device: fn(*mut CUdevice) = b"cuCtxGetDevice\0";
        context_sync: fn() = b"cuCtxSynchronize\0";
        stream_create: fn(*mut CUstream, c_uint) = b"cuStreamCreate\0";
        stream_destroy: fn(CUstream) = b"cuStreamDestroy_v2\0";
        stream_query: fn(CUstream) = b"cuStreamQuery\0";
        stream_sync: fn(CUstream) = b"cuStreamSynchronize\0";
        stream_wait: fn(CUstream, CUevent, c_uint) = b"cuStreamWaitEvent\0";
        stream_context: fn(CUstream, *mut CUcontext) = b"cuStreamGetCtx\0";
        stream_capturing: fn(CUstream, *mut c_uint) = b"cuStreamIsCapturing\0";
        launch_host: fn(CUstream, extern "C" fn(*mut c_void), *mut c_void) = b"cuLaunchHostFunc\0";
        event_create: fn(*mut CUevent, c_uint) = b"cuEventCreate\0";
        event_record: fn(CUevent, CUstream) = b"cuEventRecord\0";
        event_record_flags: fn(CUevent, CUstream, c_uint) = b"cuEventRecordWithFlags\0";
        event_query: fn(CUevent) = b"cuEventQuery\0";
        event_sync: fn(CUevent) = b"cuEventSynchronize\0";
        event_destroy: fn(CUevent) = b"cuEventDestroy_v2\0";
        event_elapsed: fn(*mut f32, CUevent, CUevent) = b"cuEventElapsedTime_v2\0" or b"cuEventElapsedTime\0";
        ipc_get: fn(*mut IpcHandle, CUevent) = b"cuIpcGetEventHandle\0";
        ipc_open: fn(*mut CUevent, IpcHandle) = b"cuIpcOpenEventHandle\0";
    }
    optional {
        device_name: fn(*mut c_char, c_int, CUdevice) = b"cuDeviceGetName\0";
        device_attribute: fn(*mut c_int, c_int, CUdevice) = b"cuDeviceGetAttribute\0";
        device_uuid: fn(*mut [u8; 16], CUdevice) = b"cuDeviceGetUuid_v2\0" or b"cuDeviceGetUuid\0";
        device_luid: fn(*mut c_char, *mut c_uint, CUdevice) = b"cuDeviceGetLuid\0";
        capture_mode: fn(*mut c_uint) = b"cuThreadExchangeStreamCaptureMode\0";
        context_id: fn(CUcontext, *mut u64) = b"cuCtxGetId\0";
        context_record: fn(CUcontext, CUevent) = b"cuCtxRecordEvent\0";
        stream_id: fn(CUstream, *mut u64) = b"cuStreamGetId\0";
        wait_value: fn(CUstream, u64, u32, c_uint) = b"cuStreamWaitValue32_v2\0";
        host_register: fn(*mut c_void, usize, c_uint) = b"cuMemHostRegister_v2\0";
        host_device_pointer: fn(*mut u64, *mut c_void, c_uint) = b"cuMemHostGetDevicePointer_v2\0";
    }
}

/// CU_STREAM_CAPTURE_MODE_RELAXED: calls of this thread's end no capture.
const RELAXED: c_uint = 2;

const NO_LIBRARY: Error = Error::NoBackend(library::NO_CUDA);
const TOO_OLD: Error = Error::NoBackend("the NVIDIA driver is too old: it needs to be of CUDA 11.1 or later");
const STUB: Error = Error::NoBackend("the libcuda that was found is a toolkit's stub, not a driver");
const NO_DEVICES: Error = Error::NoBackend("the NVIDIA driver has no device to offer");
const FAILED: Error = Error::NoBackend("the NVIDIA driver cannot be initialised (cuInit failed)");

/// Returns the driver, loaded and initialized once, or the permanent reason why it cannot be.
pub(crate) fn get() -> Result<&'static Driver> {
    static DRIVER: OnceCell<Result<Driver>> = OnceCell::new();
    DRIVER.get_or_init(load).as_ref().map_err(|error| *error)
}

fn load() -> Result<Driver> {
    let _uncancelled = Uncancelled::new();
    // SAFETY: the driver's own initializers are what every CUDA program runs.
    let library = unsafe { Library::open(library::CUDA) }.ok_or(NO_LIBRARY)?;
    let driver = Driver::look_up(&library)?;
    // SAFETY: cuInit takes no pointer.
    match unsafe { (driver.init)(0) } {
        0 => {}
        34 => return Err(STUB),
        35 => return Err(TOO_OLD),
        100 | 101 => return Err(NO_DEVICES),
        _ => return Err(FAILED),
    }
    // The driver's exit handlers are registered by now: gevt's own run before them.
    watch_exit()?;
    if driver.count()? == 0 { Err(NO_DEVICES) } else { Ok(driver) }
}

impl Driver {
    /// The number of devices that CUDA_VISIBLE_DEVICES leaves.
    pub(crate) fn count(&self) -> Result<i32> {
        let _uncancelled = Uncancelled::new();
        let mut count = 0;
        // SAFETY: the pointer is valid.
        let code = unsafe { (self.device_count)(&mut count) };
        if code == 0 { Ok(count) } else { Err(NO_DEVICES) }
    }

    /// Makes calls that would end another thread's capture otherwise; the thread's later calls may again.
    pub(super) fn relaxed<T>(&self, calls: impl FnOnce() -> T) -> T {
        let mut mode = RELAXED;
        // SAFETY: the pointer is valid; the mode is the calling thread's, and the one before is given back.
        let mut exchange = || self.capture_mode.map(|exchange| unsafe { exchange(&mut mode) });
        exchange();
        let result = calls();
        exchange();
        result
    }
}
