//! The status and detail codes of the C API. A test compares numbers and texts with [`gevt_core::Status`] and
//! [`gevt_core::Detail`].

use super::types::{gevt_detail_t, gevt_status_t};

/// The call succeeded.
pub const GEVT_SUCCESS: gevt_status_t = 0;
/// An argument is out of range, or a required pointer is NULL.
pub const GEVT_ERROR_INVALID_VALUE: gevt_status_t = 1;
/// Memory, threads, handles or file descriptors have run out.
pub const GEVT_ERROR_OUT_OF_MEMORY: gevt_status_t = 2;
/// The call was made in a forked child.
pub const GEVT_ERROR_NOT_INITIALIZED: gevt_status_t = 3;
/// The process is exiting.
pub const GEVT_ERROR_DEINITIALIZED: gevt_status_t = 4;
/// The backend has no driver or no device.
pub const GEVT_ERROR_NO_DEVICE: gevt_status_t = 100;
/// The backend has no device with this number.
pub const GEVT_ERROR_INVALID_DEVICE: gevt_status_t = 101;
/// The context cannot be used for this call.
pub const GEVT_ERROR_INVALID_CONTEXT: gevt_status_t = 201;
/// The bytes are not those of an event that can be opened.
pub const GEVT_ERROR_MAP_FAILED: gevt_status_t = 205;
/// A system call failed.
pub const GEVT_ERROR_OPERATING_SYSTEM: gevt_status_t = 304;
/// A handle is NULL, stale or of the wrong kind, or does not fit the other arguments.
pub const GEVT_ERROR_INVALID_HANDLE: gevt_status_t = 400;
/// The object is not in a state that allows the call.
pub const GEVT_ERROR_ILLEGAL_STATE: gevt_status_t = 401;
/// The work has not finished yet.
pub const GEVT_ERROR_NOT_READY: gevt_status_t = 600;
/// The context was destroyed by its owner, or the process that made the last record has ended.
pub const GEVT_ERROR_CONTEXT_IS_DESTROYED: gevt_status_t = 709;
/// Work on the device failed, or the device was lost: the context cannot recover.
pub const GEVT_ERROR_LAUNCH_FAILED: gevt_status_t = 719;
/// The backend does not support this.
pub const GEVT_ERROR_NOT_SUPPORTED: gevt_status_t = 801;
/// The call is not allowed while a stream is being captured.
pub const GEVT_ERROR_STREAM_CAPTURE_UNSUPPORTED: gevt_status_t = 900;
/// An earlier error invalidated the capture of the stream.
pub const GEVT_ERROR_STREAM_CAPTURE_INVALIDATED: gevt_status_t = 901;
/// The call would merge two captures.
pub const GEVT_ERROR_STREAM_CAPTURE_MERGE: gevt_status_t = 902;
/// The capture was not started on this stream.
pub const GEVT_ERROR_STREAM_CAPTURE_UNMATCHED: gevt_status_t = 903;
/// The capture has work that was not joined to the stream on which it was started.
pub const GEVT_ERROR_STREAM_CAPTURE_UNJOINED: gevt_status_t = 904;
/// A captured stream would depend on work outside the capture.
pub const GEVT_ERROR_STREAM_CAPTURE_ISOLATION: gevt_status_t = 905;
/// The call would make a captured stream depend on the default stream.
pub const GEVT_ERROR_STREAM_CAPTURE_IMPLICIT: gevt_status_t = 906;
/// The event was last recorded in a capture.
pub const GEVT_ERROR_CAPTURED_EVENT: gevt_status_t = 907;
/// The capture was started by another thread.
pub const GEVT_ERROR_STREAM_CAPTURE_WRONG_THREAD: gevt_status_t = 908;
/// The timeout expired before the work finished.
pub const GEVT_ERROR_TIMEOUT: gevt_status_t = 909;
/// The cause is unknown.
pub const GEVT_ERROR_UNKNOWN: gevt_status_t = 999;

/// No call has failed on this thread.
pub const GEVT_DETAIL_NONE: gevt_detail_t = 0;
/// A handle argument is NULL.
pub const GEVT_DETAIL_NULL_HANDLE: gevt_detail_t = 1;
/// A handle argument is not a value that gevt issued.
pub const GEVT_DETAIL_UNKNOWN_HANDLE: gevt_detail_t = 2;
/// The object of the handle was destroyed or closed.
pub const GEVT_DETAIL_STALE_HANDLE: gevt_detail_t = 3;
/// The handle is of the wrong kind, such as a stream in place of an event.
pub const GEVT_DETAIL_WRONG_KIND: gevt_detail_t = 4;
/// An output, array or function pointer is NULL.
pub const GEVT_DETAIL_NULL_POINTER: gevt_detail_t = 5;
/// The function does not know a flag, or the flags do not go together.
pub const GEVT_DETAIL_BAD_FLAGS: gevt_detail_t = 6;
/// An argument other than a handle, pointer or flag is out of range.
pub const GEVT_DETAIL_BAD_ARGUMENT: gevt_detail_t = 7;
/// The backend has no device with this number.
pub const GEVT_DETAIL_BAD_DEVICE: gevt_detail_t = 8;
/// The backend has no driver or no device on this machine.
pub const GEVT_DETAIL_NO_BACKEND: gevt_detail_t = 9;
/// The event was never recorded.
pub const GEVT_DETAIL_NOT_RECORDED: gevt_detail_t = 10;
/// The event was created without timing.
pub const GEVT_DETAIL_TIMING_DISABLED: gevt_detail_t = 11;
/// The arguments belong to different contexts.
pub const GEVT_DETAIL_CONTEXT_MISMATCH: gevt_detail_t = 12;
/// The event was imported, and imported events have no timing.
pub const GEVT_DETAIL_IMPORTED_NO_TIMING: gevt_detail_t = 13;
/// The event was last recorded in a stream capture.
pub const GEVT_DETAIL_CAPTURED: gevt_detail_t = 14;
/// The EXTERNAL flag was used on a stream that is not being captured.
pub const GEVT_DETAIL_NOT_CAPTURING: gevt_detail_t = 15;
/// A host function waits for work that starts only after it returns.
pub const GEVT_DETAIL_WOULD_DEADLOCK: gevt_detail_t = 16;
/// The event is not bound to a context yet.
pub const GEVT_DETAIL_NOT_BOUND: gevt_detail_t = 17;
/// The host backend has no native objects.
pub const GEVT_DETAIL_NO_NATIVE: gevt_detail_t = 18;
/// The timeout expired before the work finished.
pub const GEVT_DETAIL_TIMED_OUT: gevt_detail_t = 19;
/// Memory, threads, handles or room in a queue have run out.
pub const GEVT_DETAIL_OUT_OF_MEMORY: gevt_detail_t = 20;
/// The call was made in a forked child.
pub const GEVT_DETAIL_FORKED: gevt_detail_t = 21;
/// The call was made while the process exits.
pub const GEVT_DETAIL_EXITING: gevt_detail_t = 22;
/// The context was destroyed by its owner or cannot recover from an error.
pub const GEVT_DETAIL_CONTEXT_LOST: gevt_detail_t = 23;
/// The backend returned an error code of its own, which is the status.
pub const GEVT_DETAIL_BACKEND: gevt_detail_t = 24;
/// gevt caught a bug of its own.
pub const GEVT_DETAIL_INTERNAL: gevt_detail_t = 25;
/// A trace is already running.
pub const GEVT_DETAIL_TRACING: gevt_detail_t = 26;
/// No trace is running.
pub const GEVT_DETAIL_NOT_TRACING: gevt_detail_t = 27;
/// A file cannot be created or written.
pub const GEVT_DETAIL_FILE: gevt_detail_t = 28;
/// The event was created without INTERPROCESS, or was imported.
pub const GEVT_DETAIL_NOT_EXPORTABLE: gevt_detail_t = 29;
/// The bytes are not those of an event that can be opened.
pub const GEVT_DETAIL_IPC_BAD_HANDLE: gevt_detail_t = 30;
/// The event was exported by this process.
pub const GEVT_DETAIL_IPC_SAME_PROCESS: gevt_detail_t = 31;
/// The process that exported the event, or that made its last record, has ended.
pub const GEVT_DETAIL_IPC_PEER_GONE: gevt_detail_t = 32;
/// The event belongs to a process of another user.
pub const GEVT_DETAIL_IPC_FOREIGN_USER: gevt_detail_t = 33;
/// The backend, the device or the queue does not support the call.
pub const GEVT_DETAIL_UNSUPPORTED: gevt_detail_t = 34;
/// The submit that should have completed the event failed, or its batch was canceled.
pub const GEVT_DETAIL_SUBMIT_FAILED: gevt_detail_t = 35;
/// No timestamp was written for the event's last record.
pub const GEVT_DETAIL_NO_TIME: gevt_detail_t = 36;
/// A batch is open on the queue, or the named one is not.
pub const GEVT_DETAIL_BATCH: gevt_detail_t = 37;
/// Vulkan returned an error that has no status of its own.
pub const GEVT_DETAIL_VULKAN: gevt_detail_t = 38;
/// The event was signaled with a failure, destroyed unsignaled, or recorded after a wait that failed.
pub const GEVT_DETAIL_EVENT_FAILED: gevt_detail_t = 39;
/// The event is host-signaled, or is not, or is signaled already.
pub const GEVT_DETAIL_HOST_SIGNALED: gevt_detail_t = 40;
/// The executor was set twice or too late, or a number of threads was set beside it.
pub const GEVT_DETAIL_EXECUTOR: gevt_detail_t = 41;
/// The device was too busy to compare its clock with the host's.
pub const GEVT_DETAIL_NOT_CALIBRATED: gevt_detail_t = 42;
