//! The types of the C API.

#![expect(non_camel_case_types, reason = "spelled as C spells them")]

use std::ffi::{c_char, c_void};

/// What a call answered: 0, or one of CUDA's own error numbers. A number that a newer driver adds passes through unchanged.
pub type gevt_status_t = i32;

/// Tells the causes of one status apart; see gevt_last_detail.
pub type gevt_detail_t = i32;

/// What an event's handle points to: nothing. The handle is a packed number.
pub struct gevt_event_s {
    _private: [u8; 0],
}

/// What a stream's handle points to: nothing.
pub struct gevt_stream_s {
    _private: [u8; 0],
}

/// What a context's handle points to: nothing.
pub struct gevt_context_s {
    _private: [u8; 0],
}

/// A handle to an event. No value is issued twice in a process's life, so that a stale handle is always told.
pub type gevt_event_t = *mut gevt_event_s;

/// A handle to a stream. NULL means the default stream of the calling thread's current context.
pub type gevt_stream_t = *mut gevt_stream_s;

/// A handle to a context: one device of one backend. NULL means the calling thread's current context.
pub type gevt_context_t = *mut gevt_context_s;

/// A backend: GEVT_BACKEND_AUTO, GEVT_BACKEND_HOST or GEVT_BACKEND_CUDA.
pub type gevt_backend_t = u32;
/// The backend that GEVT_BACKEND names, else CUDA where a driver and a device are there, else the host.
pub const GEVT_BACKEND_AUTO: gevt_backend_t = 0;
/// The host's own threads; there on every machine.
pub const GEVT_BACKEND_HOST: gevt_backend_t = 1;
/// An NVIDIA GPU, through the driver.
pub const GEVT_BACKEND_CUDA: gevt_backend_t = 2;

/// An event with timing, for which gevt_sync spins: briefly on the host backend, as long as the driver does on CUDA.
pub const GEVT_EVENT_DEFAULT: u32 = 0;
/// gevt_sync gives its core away at once, as CU_EVENT_BLOCKING_SYNC.
pub const GEVT_EVENT_BLOCKING_SYNC: u32 = 1;
/// The event takes no times, as CU_EVENT_DISABLE_TIMING.
pub const GEVT_EVENT_DISABLE_TIMING: u32 = 2;
/// The event can be shared with other processes, as CU_EVENT_INTERPROCESS. Needs GEVT_EVENT_DISABLE_TIMING.
pub const GEVT_EVENT_INTERPROCESS: u32 = 4;
/// Query, sync and stream wait refuse the event with GEVT_ERROR_ILLEGAL_STATE until it is recorded.
pub const GEVT_EVENT_STRICT: u32 = 0x10000;

/// A stream that is ordered against the default stream.
pub const GEVT_STREAM_DEFAULT: u32 = 0;
/// A stream that is not ordered against the default stream, as CU_STREAM_NON_BLOCKING.
pub const GEVT_STREAM_NON_BLOCKING: u32 = 1;

/// An ordinary record.
pub const GEVT_RECORD_DEFAULT: u32 = 0;
/// A record in a capture that becomes a node of the graph, as CU_EVENT_RECORD_EXTERNAL.
pub const GEVT_RECORD_EXTERNAL: u32 = 1;

/// An ordinary wait.
pub const GEVT_WAIT_DEFAULT: u32 = 0;
/// A wait in a capture that becomes a node of the graph, as CU_EVENT_WAIT_EXTERNAL.
pub const GEVT_WAIT_EXTERNAL: u32 = 1;

/// A timeout that never runs out.
pub const GEVT_TIMEOUT_INFINITE: u64 = u64::MAX;

/// How an event stands; see gevt_get_info.
pub type gevt_event_state_t = u32;
/// Never recorded.
pub const GEVT_EVENT_UNRECORDED: gevt_event_state_t = 0;
/// Recorded, and its stream has not come to the record yet.
pub const GEVT_EVENT_PENDING: gevt_event_state_t = 1;
/// Its stream has come to the last record.
pub const GEVT_EVENT_COMPLETE: gevt_event_state_t = 2;
/// Last recorded in a stream capture.
pub const GEVT_EVENT_CAPTURED: gevt_event_state_t = 3;
/// Its context was destroyed or has failed, or the process is gone that had to finish its last record.
pub const GEVT_EVENT_FAILED: gevt_event_state_t = 4;

/// What names an event to another process: bytes that may be copied, sent and stored. They mean nothing once the process that
/// exported them has ended.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gevt_ipc_handle_t {
    /// Opaque.
    pub bytes: [u8; GEVT_IPC_HANDLE_SIZE],
}

/// The length of a gevt_ipc_handle_t.
pub const GEVT_IPC_HANDLE_SIZE: usize = 64;

/// The length of a name in gevt_event_info_t, its NUL included.
pub const GEVT_NAME_SIZE: usize = 64;

/// What gevt_get_info tells of an event. Later versions add fields at the end.
#[repr(C)]
pub struct gevt_event_info_t {
    /// Set by the caller to sizeof(gevt_event_info_t); on return the number of bytes that were written.
    pub size: usize,
    /// The flags of its creation.
    pub flags: u32,
    /// How it stands: GEVT_EVENT_UNRECORDED to GEVT_EVENT_FAILED.
    pub state: gevt_event_state_t,
    /// Its backend; GEVT_BACKEND_AUTO while it is unbound.
    pub backend: gevt_backend_t,
    /// The number of its device; -1 while it is unbound.
    pub device: i32,
    /// The handle through which it was bound to its context, which may have been closed since; NULL while it is unbound.
    pub context: gevt_context_t,
    /// 1 where it was imported from another process, else 0.
    pub imported: u32,
    /// 0.
    pub reserved: u32,
    /// How often it was recorded through gevt, failed records included.
    pub record_count: u64,
    /// Its name in UTF-8, with a NUL; empty where it has none.
    pub name: [c_char; GEVT_NAME_SIZE],
}

/// How important a message of the log is; see gevt_set_log_callback.
pub type gevt_log_level_t = u32;
/// No messages.
pub const GEVT_LOG_OFF: gevt_log_level_t = 0;
/// Something is lost for good: a context, or a bug in gevt was caught.
pub const GEVT_LOG_ERROR: gevt_log_level_t = 1;
/// A call failed, or a trace is not complete.
pub const GEVT_LOG_WARN: gevt_log_level_t = 2;
/// What gevt chose or began: the default backend and why, a trace and its end.
pub const GEVT_LOG_INFO: gevt_log_level_t = 3;

/// A function that takes the log's messages. It must return, as gevt_host_fn_t.
pub type gevt_log_fn_t = Option<extern "C" fn(user: *mut c_void, level: gevt_log_level_t, message: *const c_char)>;

/// A function that a stream runs. It must return: no exception and no longjmp may leave it.
pub type gevt_host_fn_t = Option<extern "C" fn(user: *mut c_void)>;

/// A function that gevt calls when an event is done, or can no longer be. It must return, as gevt_host_fn_t.
pub type gevt_complete_fn_t = Option<extern "C" fn(user: *mut c_void, status: gevt_status_t)>;
