//! Why a call failed: a status for code, a detail that tells its causes apart, and words for people.

use crate::status::Status;
use crate::table::Kind;

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
    #[error("the {0} handle is a value that gevt never issued")]
    UnknownHandle(Kind),
    /// The object behind the handle is gone.
    #[error("the {0} handle is stale: what it named was destroyed")]
    StaleHandle(Kind),
    /// A live or dead handle of another kind.
    #[error("a handle of another kind ({found}) stands where a handle of kind {wanted} is expected")]
    WrongKind {
        /// What the function takes.
        wanted: Kind,
        /// What it got.
        found: Kind,
    },
    /// An output, an array or a function is NULL.
    #[error("the pointer `{0}` is NULL")]
    NullPointer(&'static str),
    /// A flag that the function does not have, or a combination that is not allowed.
    #[error("the flags {0:#x} are not allowed here")]
    BadFlags(u32),
    /// Another argument is out of range.
    #[error("the argument `{0}` is out of its range")]
    BadArgument(&'static str),
    /// The backend has fewer devices.
    #[error("there is no device {0}")]
    BadDevice(i32),
    /// The backend cannot run on this machine.
    #[error("the CUDA backend is not available: {0}")]
    NoBackend(&'static str),
    /// The event has no record; the status depends on the call.
    #[error("the event was never recorded")]
    NotRecorded(Status),
    /// The event was created without timing.
    #[error("the event was created with DISABLE_TIMING")]
    TimingDisabled,
    /// Two objects of different contexts where one context is needed.
    #[error("the arguments belong to different contexts")]
    ContextMismatch,
    /// Imported events carry no time.
    #[error("the event was imported from another process and has no timing")]
    ImportedNoTiming,
    /// The last record was made in a stream capture.
    #[error("the event was last recorded in a stream capture")]
    Captured,
    /// An EXTERNAL record or wait outside a stream capture.
    #[error("EXTERNAL is meant for a stream that is being captured, and this one is not")]
    NotCapturing,
    /// A host function that waits for its own stream.
    #[error("the call would wait for the stream that it runs on")]
    WouldDeadlock,
    /// The event has no context yet.
    #[error("the event is not bound to a context yet")]
    NotBound,
    /// The host backend has no objects of its own to give out or to take in.
    #[error("the host backend has no native objects")]
    NoNative,
    /// The time ran out.
    #[error("the time ran out before the work finished")]
    TimedOut,
    /// Memory, threads or slots ran out.
    #[error("out of memory")]
    OutOfMemory,
    /// Called in a forked child.
    #[error("this process was forked from one that used gevt")]
    Forked,
    /// Called while the process exits.
    #[error("the process is exiting")]
    Exiting,
    /// The context was destroyed by its owner or has failed for good.
    #[error("the event's context is lost (status {})", .0.0)]
    ContextLost(Status),
    /// The backend refused with a code of its own.
    #[error("the backend answered with status {}", .0.0)]
    Backend(Status),
    /// Only events with INTERPROCESS that are the process's own can be exported.
    #[error("the event cannot be exported")]
    NotExportable,
    /// Bytes that name no event of another process.
    #[error("the interprocess handle names no event that can be opened")]
    IpcBadHandle,
    /// An event of this very process.
    #[error("the interprocess handle names an event of this process")]
    IpcSameProcess,
    /// Another process is gone; the status depends on the call.
    #[error("the process that the event depends on is gone")]
    PeerGone(Status),
    /// An event of another user's.
    #[error("the interprocess handle names an event of another user")]
    IpcForeignUser,
    /// A bug in gevt.
    #[error("an internal error was caught")]
    Internal,
    /// A trace is running.
    #[error("a trace is running already")]
    Tracing,
    /// No trace is running.
    #[error("no trace is running")]
    NotTracing,
    /// The system's own number says why.
    #[error("the file cannot be written: {}", std::io::Error::from_raw_os_error(*.0))]
    File(i32),
}

macro_rules! details {
    ($($name:ident = $code:literal, $status:ident, $pattern:pat, $text:literal, $advice:literal;)*) => {
        /// Tells the causes of one status apart; the numbers are part of the ABI.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[expect(non_camel_case_types, reason = "spelled as in C")]
        #[repr(i32)]
        pub enum Detail { $(#[doc = $text] $name = $code),* }

        impl Detail {
            /// Every detail, in ascending order.
            pub const ALL: &'static [Detail] = &[$(Detail::$name),*];

            /// The name of the detail as C spells it.
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
            /// The detail that C callers see.
            pub fn detail(&self) -> Detail {
                match self { $($pattern => Detail::$name,)* }
            }

            /// What the caller can do about it.
            pub fn advice(&self) -> &'static str {
                match self { $($pattern => $advice,)* }
            }

            /// The status that C callers see.
            pub fn status(&self) -> Status {
                #[expect(unreachable_patterns, reason = "those that carry their status stand in the table too")]
                match self {
                    Error::NotRecorded(status)
                    | Error::ContextLost(status)
                    | Error::Backend(status)
                    | Error::PeerGone(status) => *status,
                    $($pattern => Status::$status,)*
                }
            }
        }
    };
}

// name = number, status, variant, meaning, advice
details! {
    NULL_HANDLE = 1, INVALID_HANDLE, Error::NullHandle(_), "A handle argument is NULL.",
        "Pass a handle that a create, open or adopt call gave out.";
    UNKNOWN_HANDLE = 2, INVALID_HANDLE, Error::UnknownHandle(_), "A handle argument is a value that gevt never issued.",
        "Pass the handle as it was given out; it is not a pointer, and CUDA's own handles must be adopted first.";
    STALE_HANDLE = 3, INVALID_HANDLE, Error::StaleHandle(_), "The object behind a handle was destroyed or closed.",
        "Do not use a handle after its destroy or close call.";
    WRONG_KIND = 4, INVALID_HANDLE, Error::WrongKind { .. }, "A handle of another kind was passed, such as an event for a stream.",
        "Check the order of the arguments.";
    NULL_POINTER = 5, INVALID_VALUE, Error::NullPointer(_), "An output, array or function pointer is NULL.",
        "Pass the address of a variable of the type that the header names.";
    BAD_FLAGS = 6, INVALID_VALUE, Error::BadFlags(_), "A flag is unknown to the function, or the combination is not allowed.",
        "Use the flags that the header lists for this function; INTERPROCESS needs DISABLE_TIMING.";
    BAD_ARGUMENT = 7, INVALID_VALUE, Error::BadArgument(_), "Another argument is out of its range.",
        "See the function's comment in the header for the range.";
    BAD_DEVICE = 8, INVALID_DEVICE, Error::BadDevice(_), "The backend has no device of that number.",
        "Ask gevt_device_count first; GEVT_HOST_DEVICES sets how many the host backend has.";
    NO_BACKEND = 9, NO_DEVICE, Error::NoBackend(_), "The backend has no driver or no device on this machine.",
        "Use GEVT_BACKEND_HOST, or GEVT_BACKEND_AUTO to take what the machine has.";
    NOT_RECORDED = 10, UNKNOWN, Error::NotRecorded(_), "The event was never recorded.",
        "Record the event first.";
    TIMING_DISABLED = 11, INVALID_HANDLE, Error::TimingDisabled, "The event was created without timing.",
        "Create both events without GEVT_EVENT_DISABLE_TIMING.";
    CONTEXT_MISMATCH = 12, INVALID_HANDLE, Error::ContextMismatch, "The arguments belong to different contexts.",
        "An event stays bound to the context of its first record; use a stream, or a second event, of that context.";
    IMPORTED_NO_TIMING = 13, INVALID_HANDLE, Error::ImportedNoTiming, "An imported event has no timing.",
        "Take the times in the process that created the event.";
    CAPTURED = 14, CAPTURED_EVENT, Error::Captured, "The event was last recorded in a stream capture.",
        "Record it outside a capture, or with GEVT_RECORD_EXTERNAL, and launch the graph.";
    NOT_CAPTURING = 15, ILLEGAL_STATE, Error::NotCapturing, "EXTERNAL was asked for on a stream that is not being captured.",
        "Use the default flags outside a capture.";
    WOULD_DEADLOCK = 16, ILLEGAL_STATE, Error::WouldDeadlock, "A host function or callback waits for the stream that it runs on.",
        "Wait from another thread, or make another stream wait for the event.";
    NOT_BOUND = 17, ILLEGAL_STATE, Error::NotBound, "The event is not bound to a context yet.",
        "Record the event first, or create it with gevt_create_in.";
    NO_NATIVE = 18, NOT_SUPPORTED, Error::NoNative, "The host backend has no native objects.",
        "Native handles exist on the CUDA backend only.";
    TIMED_OUT = 19, TIMEOUT, Error::TimedOut, "The time ran out before the work finished.",
        "Wait longer, or query later.";
    OUT_OF_MEMORY = 20, OUT_OF_MEMORY, Error::OutOfMemory, "Memory, threads or handle slots ran out.",
        "Destroy what is no longer used.";
    FORKED = 21, NOT_INITIALIZED, Error::Forked, "The call was made in a forked child.",
        "Use gevt in the parent, or call exec in the child.";
    EXITING = 22, DEINITIALIZED, Error::Exiting, "The call was made while the process exits.",
        "Finish the work with events before exit is called.";
    CONTEXT_LOST = 23, UNKNOWN, Error::ContextLost(_), "The context was destroyed by its owner, or has failed for good.",
        "Destroy the events and streams of the context, and make new ones in a new context.";
    BACKEND = 24, UNKNOWN, Error::Backend(_), "The backend refused with a code of its own, which is the status.",
        "Look the status up in the CUDA driver's list of errors.";
    INTERNAL = 25, UNKNOWN, Error::Internal, "A bug in gevt was caught at the boundary.",
        "Please report it with the steps that lead to it.";
    TRACING = 26, ILLEGAL_STATE, Error::Tracing, "A trace is running already.",
        "Stop it first; a process has one trace at a time.";
    NOT_TRACING = 27, ILLEGAL_STATE, Error::NotTracing, "No trace is running.",
        "Start one with gevt_trace_start.";
    FILE = 28, OPERATING_SYSTEM, Error::File(_), "A file cannot be made or written.",
        "Check the path, its permissions and the room on the disk; it has to be an ordinary file.";
    NOT_EXPORTABLE = 29, INVALID_HANDLE, Error::NotExportable, "The event was created without INTERPROCESS, or was imported itself.",
        "Create the event with GEVT_EVENT_INTERPROCESS and GEVT_EVENT_DISABLE_TIMING, and export it where it was created.";
    IPC_BAD_HANDLE = 30, MAP_FAILED, Error::IpcBadHandle, "The bytes are not those of an event that can be opened.",
        "Pass the bytes on as gevt_ipc_export gave them, for the backend that gave them, while the exporter keeps the event.";
    IPC_SAME_PROCESS = 31, INVALID_CONTEXT, Error::IpcSameProcess, "The event was exported by this very process.",
        "Use the handle that the event already has here.";
    IPC_PEER_GONE = 32, UNKNOWN, Error::PeerGone(_), "The process that exported the event, or had to finish its last record, is gone.",
        "Record the event again, or destroy it.";
    IPC_FOREIGN_USER = 33, MAP_FAILED, Error::IpcForeignUser, "The event belongs to a process of another user.",
        "Run both processes as one user; a process that must not be traced can share nothing.";
}
