//! Errors: the status that a program tests, the detail that gives the cause, and the message for people.

use crate::kind::Kind;
use crate::status::Status;

/// Result of the core's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call failed.
///
/// The text of a variant says what is wrong; [`Error::advice`] says what to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// A handle argument is NULL.
    #[error("the {0} handle is NULL")]
    NullHandle(Kind),
    /// A value that gevt never issued.
    #[error("the {0} handle is not one that gevt issued")]
    UnknownHandle(Kind),
    /// The handle's object was destroyed or closed.
    #[error("the {0} handle is stale: its object was destroyed or closed")]
    StaleHandle(Kind),
    /// A handle of the wrong kind, live or stale.
    #[error("expected a handle of kind {wanted}, got one of kind {found}")]
    WrongKind {
        /// The kind that the function expects.
        wanted: Kind,
        /// The kind that was passed.
        found: Kind,
    },
    /// An output, array or function pointer is NULL.
    #[error("the pointer `{0}` is NULL")]
    NullPointer(&'static str),
    /// The function does not have the flag, or the flags do not go together.
    #[error("the flags {0:#x} are not valid for this function")]
    BadFlags(u32),
    /// Another argument is out of range.
    #[error("the argument `{0}` is out of range")]
    BadArgument(&'static str),
    /// The backend has no device with this number.
    #[error("there is no device {0}")]
    BadDevice(i32),
    /// The backend cannot run on this machine.
    #[error("the backend is not available: {0}")]
    NoBackend(&'static str),
    /// The event was never recorded; the status depends on the call.
    #[error("the event was never recorded")]
    NotRecorded(Status),
    /// The event was created without timing.
    #[error("the event was created with DISABLE_TIMING")]
    TimingDisabled,
    /// The arguments belong to different contexts.
    #[error("the arguments belong to different contexts")]
    ContextMismatch,
    /// The event was imported, and imported events have no timing.
    #[error("the event was imported from another process and has no timing")]
    ImportedNoTiming,
    /// The event was last recorded in a stream capture.
    #[error("the event was last recorded in a stream capture")]
    Captured,
    /// An EXTERNAL record or wait outside a stream capture.
    #[error("the EXTERNAL flag needs a stream that is being captured")]
    NotCapturing,
    /// A host function waits for work that runs only after it.
    #[error("the call would wait for the host function that makes it")]
    WouldDeadlock,
    /// The event is not bound to a context yet.
    #[error("the event is not bound to a context yet")]
    NotBound,
    /// The host backend has no native objects to wrap or to hand out.
    #[error("the host backend has no native objects")]
    NoNative,
    /// The timeout expired.
    #[error("the timeout expired before the work finished")]
    TimedOut,
    /// Memory, threads or handle slots are exhausted.
    #[error("out of memory")]
    OutOfMemory,
    /// The stream's queue has no room for another wait.
    #[error("the stream waits for as many events of other backends as its queue is to hold")]
    QueueFull,
    /// The call was made in a forked child.
    #[error("this process was forked from one that uses gevt")]
    Forked,
    /// The call was made while the process exits.
    #[error("the process is exiting")]
    Exiting,
    /// The context was destroyed by its owner or cannot recover from an error.
    #[error("the context is lost (status {})", .0.0)]
    ContextLost(Status),
    /// The backend returned a native error code.
    #[error("the backend returned status {}", .0.0)]
    Backend(Status),
    /// The event was created without INTERPROCESS, or was imported.
    #[error("the event cannot be exported")]
    NotExportable,
    /// The bytes are not those of an event that can be opened.
    #[error("the interprocess handle is not one of an event that can be opened")]
    IpcBadHandle,
    /// The event was exported by this process.
    #[error("the interprocess handle was exported by this process")]
    IpcSameProcess,
    /// Another process has ended; the status depends on the call.
    #[error("the process that the event depends on has ended")]
    PeerGone(Status),
    /// The event belongs to a process of another user.
    #[error("the interprocess handle belongs to another user's process")]
    IpcForeignUser,
    /// The backend does not support the operation.
    #[error("the backend does not support this: {0}")]
    Unsupported(&'static str),
    /// The submit that was to complete the event failed.
    #[error("the submit that should have completed the event failed")]
    SubmitFailed(Status),
    /// No timestamp was written for the event's last record.
    #[error("no timestamp was written for the event's last record")]
    NoTime,
    /// The device was too busy to compare its clock with the host's.
    #[error("the device was too busy to compare its clock with the host's")]
    NotCalibrated,
    /// A batch is open, or is not.
    #[error("{0}")]
    Batch(&'static str),
    /// Vulkan returned a VkResult that has no status.
    #[error("Vulkan returned VkResult {0}")]
    Vulkan(i32),
    /// Work that the event depends on failed.
    #[error("what had to complete the event failed (status {})", .0.0)]
    EventFailed(Status),
    /// The call does not go with how the event is completed.
    #[error("{0}")]
    HostSignalled(&'static str),
    /// The call does not go with the program's executor.
    #[error("{0}")]
    Executor(&'static str),
    /// A bug in gevt.
    #[error("an internal error was caught")]
    Internal,
    /// A trace is already running.
    #[error("a trace is already running")]
    Tracing,
    /// No trace is running.
    #[error("no trace is running")]
    NotTracing,
    /// The file cannot be created or written; the number is the system's errno.
    #[error("the file cannot be created or written: {}", std::io::Error::from_raw_os_error(*.0))]
    File(i32),
}

impl Error {
    /// Returns whether it is an event that has failed, rather than the call that was refused.
    pub(crate) fn is_of_event(&self) -> bool {
        matches!(self, Error::ContextLost(_) | Error::PeerGone(_) | Error::SubmitFailed(_) | Error::EventFailed(_))
    }
}

macro_rules! details {
    ($($name:ident = $code:literal, $status:expr, $pattern:pat, $text:literal, $advice:literal;)*) => {
        /// The cause of a status. The numbers are part of the ABI.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[expect(non_camel_case_types, reason = "spelled as in C")]
        #[repr(i32)]
        pub enum Detail { $(#[doc = $text] $name = $code),* }

        impl Detail {
            /// Every detail, in ascending order.
            pub const ALL: &'static [Detail] = &[$(Detail::$name),*];

            /// Returns one sentence that says what the detail means.
            pub fn text(self) -> &'static str {
                match self { $(Detail::$name => $text,)* }
            }

            /// Returns the name of the detail as C spells it.
            pub fn c_name(self) -> &'static std::ffi::CStr {
                match self {
                    $(Detail::$name => {
                        const NAME: &str = concat!("GEVT_DETAIL_", stringify!($name), "\0");
                        std::ffi::CStr::from_bytes_with_nul(NAME.as_bytes()).unwrap_or(c"")
                    })*
                }
            }
        }

        impl Error {
            /// Returns the detail that C callers see.
            #[expect(unused_variables, reason = "the table names what its status needs")]
            pub fn detail(&self) -> Detail {
                match self { $($pattern => Detail::$name,)* }
            }

            /// Returns what the caller can do about it.
            #[expect(unused_variables, reason = "as above")]
            pub fn advice(&self) -> &'static str {
                match self { $($pattern => $advice,)* }
            }

            /// Returns the status that C callers see.
            pub fn status(&self) -> Status {
                match self { $($pattern => $status,)* }
            }
        }
    };
}

// name = number, status, variant, meaning, advice
details! {
    NULL_HANDLE = 1, Status::INVALID_HANDLE, Error::NullHandle(_), "A handle argument is NULL.",
        "Pass a handle that a create, open, wrap or import function returned.";
    UNKNOWN_HANDLE = 2, Status::INVALID_HANDLE, Error::UnknownHandle(_), "A handle argument is not a value that gevt issued.",
        "Pass the handle unchanged. It is not a pointer, and CUDA's own handles must be wrapped first.";
    STALE_HANDLE = 3, Status::INVALID_HANDLE, Error::StaleHandle(_), "The object of the handle was destroyed or closed.",
        "Do not use a handle after it was destroyed or closed.";
    WRONG_KIND = 4, Status::INVALID_HANDLE, Error::WrongKind { .. }, "The handle is of the wrong kind, such as a stream in place of an event.",
        "Check the order of the arguments.";
    NULL_POINTER = 5, Status::INVALID_VALUE, Error::NullPointer(_), "An output, array or function pointer is NULL.",
        "Pass a valid pointer of the type that the header declares.";
    BAD_FLAGS = 6, Status::INVALID_VALUE, Error::BadFlags(_), "The function does not know a flag, or the flags do not go together.",
        "Use the flags that the header lists for this function. INTERPROCESS needs DISABLE_TIMING.";
    BAD_ARGUMENT = 7, Status::INVALID_VALUE, Error::BadArgument(_), "An argument other than a handle, pointer or flag is out of range.",
        "The function's comment in the header gives the range.";
    BAD_DEVICE = 8, Status::INVALID_DEVICE, Error::BadDevice(_), "The backend has no device with this number.",
        "Call gevt_device_count first. GEVT_HOST_DEVICES sets the number of host devices.";
    NO_BACKEND = 9, Status::NO_DEVICE, Error::NoBackend(_), "The backend has no driver or no device on this machine.",
        "Use GEVT_BACKEND_HOST, or GEVT_BACKEND_AUTO to use what the machine has.";
    NOT_RECORDED = 10, *status, Error::NotRecorded(status), "The event was never recorded.",
        "Record the event first.";
    TIMING_DISABLED = 11, Status::INVALID_HANDLE, Error::TimingDisabled, "The event was created without timing.",
        "Create both events without GEVT_EVENT_DISABLE_TIMING.";
    CONTEXT_MISMATCH = 12, Status::INVALID_HANDLE, Error::ContextMismatch, "The arguments belong to different contexts.",
        "An event stays bound to the context of its first record. Use a stream or another event of that context. gevt_host_time gives times that compare across contexts.";
    IMPORTED_NO_TIMING = 13, Status::INVALID_HANDLE, Error::ImportedNoTiming, "The event was imported, and imported events have no timing.",
        "Measure in the process that created the event.";
    CAPTURED = 14, Status::CAPTURED_EVENT, Error::Captured, "The event was last recorded in a stream capture.",
        "Record it outside a capture, or record it with GEVT_RECORD_EXTERNAL and launch the graph.";
    NOT_CAPTURING = 15, Status::ILLEGAL_STATE, Error::NotCapturing, "The EXTERNAL flag was used on a stream that is not being captured.",
        "Use the default flags outside a capture.";
    WOULD_DEADLOCK = 16, Status::ILLEGAL_STATE, Error::WouldDeadlock, "A host function waits for work that starts only after it returns.",
        "Wait from another thread, or make another stream wait for the event.";
    NOT_BOUND = 17, Status::ILLEGAL_STATE, Error::NotBound, "The event is not bound to a context yet.",
        "Record the event first, or create it with gevt_create_in.";
    NO_NATIVE = 18, Status::NOT_SUPPORTED, Error::NoNative, "The host backend has no native objects.",
        "Only the CUDA backend has native handles.";
    TIMED_OUT = 19, Status::TIMEOUT, Error::TimedOut, "The timeout expired before the work finished.",
        "Wait longer, or query again later.";
    OUT_OF_MEMORY = 20, Status::OUT_OF_MEMORY, Error::OutOfMemory | Error::QueueFull, "Memory, threads, handles or room in a queue have run out.",
        "Destroy objects that are no longer used, and let work end before more is given.";
    FORKED = 21, Status::NOT_INITIALIZED, Error::Forked, "The call was made in a forked child.",
        "Use gevt in the parent, or call exec in the child.";
    EXITING = 22, Status::DEINITIALIZED, Error::Exiting, "The call was made while the process exits.",
        "Finish the work before calling exit.";
    CONTEXT_LOST = 23, *status, Error::ContextLost(status), "The context was destroyed by its owner or cannot recover from an error.",
        "Destroy the events and streams of the context, and create new ones in a new context.";
    BACKEND = 24, *status, Error::Backend(status), "The backend returned an error code of its own, which is the status.",
        "See the CUDA driver's list of error codes.";
    INTERNAL = 25, Status::UNKNOWN, Error::Internal, "gevt caught a bug of its own.",
        "Please report it, with the steps that lead to it.";
    TRACING = 26, Status::ILLEGAL_STATE, Error::Tracing, "A trace is already running.",
        "Stop it first. A process has one trace at a time.";
    NOT_TRACING = 27, Status::ILLEGAL_STATE, Error::NotTracing, "No trace is running.",
        "Start one with gevt_trace_start.";
    FILE = 28, Status::OPERATING_SYSTEM, Error::File(_), "A file cannot be created or written.",
        "Check the path, its permissions and the free disk space. It must be a regular file.";
    NOT_EXPORTABLE = 29, Status::INVALID_HANDLE, Error::NotExportable, "The event was created without INTERPROCESS, or was imported.",
        "Create the event with GEVT_EVENT_INTERPROCESS and GEVT_EVENT_DISABLE_TIMING, and export it in the process that created it.";
    IPC_BAD_HANDLE = 30, Status::MAP_FAILED, Error::IpcBadHandle, "The bytes are not those of an event that can be opened.",
        "Pass on the bytes unchanged, to the same backend, while the exporting process keeps the event.";
    IPC_SAME_PROCESS = 31, Status::INVALID_CONTEXT, Error::IpcSameProcess, "The event was exported by this process.",
        "Use the handle that the event already has in this process.";
    IPC_PEER_GONE = 32, *status, Error::PeerGone(status), "The process that exported the event, or that made its last record, has ended.",
        "Record the event again, or destroy it.";
    IPC_FOREIGN_USER = 33, Status::MAP_FAILED, Error::IpcForeignUser, "The event belongs to a process of another user.",
        "Run both processes as the same user. Processes that cannot be traced (ptrace) cannot share events.";
    UNSUPPORTED = 34, Status::NOT_SUPPORTED, Error::Unsupported(_), "The backend, the device or the queue does not support the call.",
        "The function's comment in the header says what it needs.";
    SUBMIT_FAILED = 35, *status, Error::SubmitFailed(status), "The submit that should have completed the event failed, or its batch was canceled.",
        "Record the event again.";
    NO_TIME = 36, Status::ILLEGAL_STATE, Error::NoTime, "No timestamp was written for the event's last record.",
        "Call gevt_vulkan_write_time for a batch. A queue family without timestamps, and a point of the program's, have none.";
    BATCH = 37, Status::ILLEGAL_STATE, Error::Batch(_), "A batch is open on the queue, or the named one is not.",
        "End each batch with gevt_vulkan_submit_end before the queue is used again.";
    VULKAN = 38, Status::UNKNOWN, Error::Vulkan(_), "Vulkan returned an error that has no status of its own.",
        "Run the program with Vulkan's validation layers.";
    EVENT_FAILED = 39, *status, Error::EventFailed(status), "The event was signaled with a failure, destroyed unsignaled, or recorded after a wait that failed.",
        "The status is that of the failure. Record, or reset and signal, the event again.";
    HOST_SIGNALED = 40, Status::ILLEGAL_STATE, Error::HostSignalled(_), "The event is host-signaled, or is not, or is signaled already.",
        "Create the event with GEVT_EVENT_HOST_SIGNALED to signal it, and without to record it. Reset it to signal it again.";
    EXECUTOR = 41, Status::ILLEGAL_STATE, Error::Executor(_), "The executor was set twice or too late, or a number of threads was set beside it.",
        "Call gevt_host_set_executor once, before any call that makes a stream or a callback.";
    NOT_CALIBRATED = 42, Status::ILLEGAL_STATE, Error::NotCalibrated, "The device was too busy to compare its clock with the host's.",
        "Call gevt_context_calibrate while the device is idle.";
}
