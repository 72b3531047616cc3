//! Result codes, with CUDA's numbers, names and texts. The driver's and the runtime's codes have the same numbers.

use core::ffi::CStr;

/// Passes all codes to the macro `$then`: `NAME = number, "name in the runtime API", "text";`.
#[macro_export]
macro_rules! codes {
    ($then:ident) => {
        $then! {
            INVALID_VALUE = 1, "InvalidValue", "invalid argument";
            OUT_OF_MEMORY = 2, "MemoryAllocation", "out of memory";
            NOT_INITIALIZED = 3, "InitializationError", "initialization error";
            DEINITIALIZED = 4, "CudartUnloading", "driver shutting down";
            INVALID_CONFIGURATION = 9, "InvalidConfiguration", "invalid configuration argument";
            INVALID_PITCH_VALUE = 12, "InvalidPitchValue", "invalid pitch argument";
            INVALID_SYMBOL = 13, "InvalidSymbol", "invalid device symbol";
            INVALID_CHANNEL_DESCRIPTOR = 20, "InvalidChannelDescriptor", "invalid channel descriptor";
            INVALID_MEMCPY_DIRECTION = 21, "InvalidMemcpyDirection", "invalid copy direction for memcpy";
            INVALID_DEVICE_FUNCTION = 98, "InvalidDeviceFunction", "invalid device function";
            NO_DEVICE = 100, "NoDevice", "no CUDA-capable device is detected";
            INVALID_DEVICE = 101, "InvalidDevice", "invalid device ordinal";
            INVALID_IMAGE = 200, "InvalidKernelImage", "device kernel image is invalid";
            INVALID_CONTEXT = 201, "DeviceUninitialized", "invalid device context";
            MAP_FAILED = 205, "MapBufferObjectFailed", "mapping of buffer object failed";
            UNSUPPORTED_LIMIT = 215, "UnsupportedLimit", "limit is not supported on this architecture";
            PEER_ACCESS_UNSUPPORTED = 217, "PeerAccessUnsupported", "peer access is not supported between these two devices";
            FILE_NOT_FOUND = 301, "FileNotFound", "file not found";
            OPERATING_SYSTEM = 304, "OperatingSystem", "OS call failed or operation not supported on this OS";
            INVALID_HANDLE = 400, "InvalidResourceHandle", "invalid resource handle";
            ILLEGAL_STATE = 401, "IllegalState", "the operation cannot be performed in the present state";
            NOT_FOUND = 500, "SymbolNotFound", "named symbol not found";
            NOT_READY = 600, "NotReady", "device not ready";
            ILLEGAL_ADDRESS = 700, "IllegalAddress", "an illegal memory access was encountered";
            PEER_ACCESS_ALREADY_ENABLED = 704, "PeerAccessAlreadyEnabled", "peer access is already enabled";
            PEER_ACCESS_NOT_ENABLED = 705, "PeerAccessNotEnabled", "peer access has not been enabled";
            PRIMARY_CONTEXT_ACTIVE = 708, "SetOnActiveProcess", "cannot set while device is active in this process";
            CONTEXT_IS_DESTROYED = 709, "ContextIsDestroyed", "context is destroyed";
            HOST_MEMORY_ALREADY_REGISTERED = 712, "HostMemoryAlreadyRegistered", "part or all of the requested memory range is already mapped";
            HOST_MEMORY_NOT_REGISTERED = 713, "HostMemoryNotRegistered", "pointer does not correspond to a registered memory region";
            NOT_PERMITTED = 800, "NotPermitted", "operation not permitted";
            NOT_SUPPORTED = 801, "NotSupported", "operation not supported";
            STREAM_CAPTURE_UNSUPPORTED = 900, "StreamCaptureUnsupported", "operation not permitted when stream is capturing";
            STREAM_CAPTURE_INVALIDATED = 901, "StreamCaptureInvalidated", "operation failed due to a previous error during capture";
            STREAM_CAPTURE_MERGE = 902, "StreamCaptureMerge", "operation would result in a merge of separate capture sequences";
            STREAM_CAPTURE_UNMATCHED = 903, "StreamCaptureUnmatched", "capture was not ended in the same stream as it began";
            STREAM_CAPTURE_UNJOINED = 904, "StreamCaptureUnjoined", "capturing stream has unjoined work";
            STREAM_CAPTURE_ISOLATION = 905, "StreamCaptureIsolation", "dependency created on uncaptured work in another stream";
            STREAM_CAPTURE_IMPLICIT = 906, "StreamCaptureImplicit", "operation would make the legacy stream depend on a capturing blocking stream";
            CAPTURED_EVENT = 907, "CapturedEvent", "operation not permitted on an event last recorded in a capturing stream";
            STREAM_CAPTURE_WRONG_THREAD = 908, "StreamCaptureWrongThread", "attempt to terminate a thread-local capture sequence from another thread";
            TIMEOUT = 909, "Timeout", "wait operation timed out";
            GRAPH_EXEC_UPDATE_FAILURE = 910, "GraphExecUpdateFailure", "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update";
            UNKNOWN = 999, "Unknown", "unknown error";
        }
    };
}

macro_rules! texts {
    ($($name:ident = $code:literal, $runtime:literal, $text:literal;)*) => {
        /// Returns the name of a code in the driver API.
        pub fn driver_name(code: i32) -> Option<&'static CStr> {
            match code {
                0 => Some(c"CUDA_SUCCESS"),
                $($code => Some(c_str(concat!("CUDA_ERROR_", stringify!($name), "\0"))),)*
                _ => None,
            }
        }

        /// Returns the name of a code in the runtime API.
        pub fn runtime_name(code: i32) -> Option<&'static CStr> {
            match code {
                0 => Some(c"cudaSuccess"),
                $($code => Some(c_str(concat!("cudaError", $runtime, "\0"))),)*
                _ => None,
            }
        }

        /// Returns the text of a code.
        pub fn text(code: i32) -> Option<&'static CStr> {
            match code {
                0 => Some(c"no error"),
                $($code => Some(c_str(concat!($text, "\0"))),)*
                _ => None,
            }
        }

        /// The numbers of the codes.
        pub mod code {
            $(
                #[doc = concat!("CUDA_ERROR_", stringify!($name), ": ", $text, ".")]
                pub const $name: i32 = $code;
            )*
        }
    };
}

const fn c_str(bytes: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(bytes.as_bytes()) {
        Ok(text) => text,
        Err(_) => c"",
    }
}

codes! { texts }
