//! Errors: the status that a program tests, the detail that gives the cause, and the message for people.

use crate::kind::Kind;
use crate::status::{Status, c_str};

/// Result of the core's functions.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Returns whether the call may succeed when it is repeated: memory or another resource is short.
    pub(crate) fn is_shortage(&self) -> bool {
        matches!(self, Error::OutOfMemory | Error::Vulkan(_))
    }

    /// Returns whether it is an event that has failed, rather than the call that was refused.
    pub(crate) fn is_of_event(&self) -> bool {
        matches!(self, Error::ContextLost(_) | Error::PeerGone(_) | Error::SubmitFailed(_) | Error::EventFailed(_))
    }
}

macro_rules! errors {
    ($($name:ident = $code:literal, $status:expr,
       $($variant:ident $(($($field:ident: $kind:ty),*))? [$($message:tt)*])|+, $text:literal, $advice:literal;)*) => {
        /// Why a call failed.
        ///
        /// The text of a variant says what is wrong; [`Error::advice`] says what to do.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[expect(missing_docs, reason = "the text of a variant is its comment")]
        pub enum Error { $($($variant $(($($kind),*))?,)+)* }

        impl std::error::Error for Error {}

        impl std::fmt::Display for Error {
            #[expect(unused_variables, reason = "the table names what a message or a status needs")]
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self { $($(Error::$variant $(($($field),*))? => write!(f, $($message)*),)+)* }
            }
        }

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
                match self { $(Detail::$name => c_str(concat!("GEVT_DETAIL_", stringify!($name), "\0")),)* }
            }
        }

        impl Error {
            /// Returns the detail that C callers see.
            #[expect(unused_variables, reason = "as above")]
            pub fn detail(&self) -> Detail {
                match self { $($(Error::$variant $(($($field),*))?)|+ => Detail::$name,)* }
            }

            /// Returns what the caller can do about it.
            #[expect(unused_variables, reason = "as above")]
            pub fn advice(&self) -> &'static str {
                match self { $($(Error::$variant $(($($field),*))?)|+ => $advice,)* }
            }

            /// Returns the status that C callers see.
            #[expect(unused_variables, reason = "as above")]
            pub fn status(&self) -> Status {
                match self { $($(Error::$variant $(($($field),*))?)|+ => $status,)* }
            }
        }
    };
}

// name = number, status, variants and their messages, meaning, advice
errors! {
    NULL_HANDLE = 1, Status::INVALID_HANDLE, NullHandle(kind: Kind) ["the {kind} handle is NULL"],
        "A handle argument is NULL.",
        "Pass a handle that a create, open, wrap or import function returned.";
    UNKNOWN_HANDLE = 2, Status::INVALID_HANDLE, UnknownHandle(kind: Kind) ["the {kind} handle is not one that gevt issued"],
        "A handle argument is not a value that gevt issued.",
        "Pass the handle unchanged. It is not a pointer, and CUDA's own handles must be wrapped first.";
    STALE_HANDLE = 3, Status::INVALID_HANDLE, StaleHandle(kind: Kind) ["the {kind} handle is stale: its object was destroyed or closed"],
        "The object of the handle was destroyed or closed.",
        "Do not use a handle after it was destroyed or closed.";
    WRONG_KIND = 4, Status::INVALID_HANDLE, WrongKind(wanted: Kind, found: Kind) ["expected a handle of kind {wanted}, got one of kind {found}"],
        "The handle is of the wrong kind, such as a stream in place of an event.",
        "Check the order of the arguments.";
    NULL_POINTER = 5, Status::INVALID_VALUE, NullPointer(name: &'static str) ["the pointer `{name}` is NULL"],
        "An output, array or function pointer is NULL.",
        "Pass a valid pointer of the type that the header declares.";
    BAD_FLAGS = 6, Status::INVALID_VALUE, BadFlags(flags: u32) ["the flags {flags:#x} are not valid for this function"],
        "The function does not know a flag, or the flags do not go together.",
        "Use the flags that the header lists for this function. INTERPROCESS needs DISABLE_TIMING.";
    BAD_ARGUMENT = 7, Status::INVALID_VALUE, BadArgument(name: &'static str) ["the argument `{name}` is out of range"],
        "An argument other than a handle, pointer or flag is out of range.",
        "The function's comment in the header gives the range.";
    BAD_DEVICE = 8, Status::INVALID_DEVICE, BadDevice(number: i32) ["there is no device {number}"],
        "The backend has no device with this number.",
        "Call gevt_device_count first. GEVT_HOST_DEVICES sets the number of host devices.";
    NO_BACKEND = 9, Status::NO_DEVICE, NoBackend(text: &'static str) ["the backend is not available: {text}"],
        "The backend has no driver or no device on this machine.",
        "Use GEVT_BACKEND_HOST, or GEVT_BACKEND_AUTO to use what the machine has.";
    NOT_RECORDED = 10, *status, NotRecorded(status: Status) ["the event was never recorded"],
        "The event was never recorded.",
        "Record the event first.";
    TIMING_DISABLED = 11, Status::INVALID_HANDLE, TimingDisabled ["the event was created with DISABLE_TIMING"],
        "The event was created without timing.",
        "Create both events without GEVT_EVENT_DISABLE_TIMING.";
    CONTEXT_MISMATCH = 12, Status::INVALID_HANDLE, ContextMismatch ["the arguments belong to different contexts"],
        "The arguments belong to different contexts.",
        "An event stays bound to the context of its first record. Use a stream or another event of that context. gevt_host_time gives times that compare across contexts.";
    IMPORTED_NO_TIMING = 13, Status::INVALID_HANDLE, ImportedNoTiming ["the event was imported from another process and has no timing"],
        "The event was imported, and imported events have no timing.",
        "Measure in the process that created the event.";
    CAPTURED = 14, Status::CAPTURED_EVENT, Captured ["the event was last recorded in a stream capture"],
        "The event was last recorded in a stream capture.",
        "Record it outside a capture, or record it with GEVT_RECORD_EXTERNAL and launch the graph.";
    NOT_CAPTURING = 15, Status::ILLEGAL_STATE, NotCapturing ["the EXTERNAL flag needs a stream that is being captured"],
        "The EXTERNAL flag was used on a stream that is not being captured.",
        "Use the default flags outside a capture.";
    WOULD_DEADLOCK = 16, Status::ILLEGAL_STATE, WouldDeadlock ["the call would wait for the host function that makes it"],
        "A host function waits for work that starts only after it returns.",
        "Wait from another thread, or make another stream wait for the event.";
    NOT_BOUND = 17, Status::ILLEGAL_STATE, NotBound ["the event is not bound to a context yet"],
        "The event is not bound to a context yet.",
        "Record the event first, or create it with gevt_create_in.";
    NO_NATIVE = 18, Status::NOT_SUPPORTED, NoNative ["the host backend has no native objects"],
        "The host backend has no native objects.",
        "Only the CUDA backend has native handles.";
    TIMED_OUT = 19, Status::TIMEOUT, TimedOut ["the timeout expired before the work finished"],
        "The timeout expired before the work finished.",
        "Wait longer, or query again later.";
    OUT_OF_MEMORY = 20, Status::OUT_OF_MEMORY, OutOfMemory ["out of memory"] |
        QueueFull ["the stream waits for as many events of other backends as its queue is to hold"],
        "Memory, threads, handles or room in a queue have run out.",
        "Destroy objects that are no longer used, and let work end before more is given.";
    FORKED = 21, Status::NOT_INITIALIZED, Forked ["this process was forked from one that uses gevt"],
        "The call was made in a forked child.",
        "Use gevt in the parent, or call exec in the child.";
    EXITING = 22, Status::DEINITIALIZED, Exiting ["the process is exiting"],
        "The call was made while the process exits.",
        "Finish the work before calling exit.";
    CONTEXT_LOST = 23, *status, ContextLost(status: Status) ["the context is lost (status {})", status.0],
        "The context was destroyed by its owner or cannot recover from an error.",
        "Destroy the events and streams of the context, and create new ones in a new context.";
    BACKEND = 24, *status, Backend(status: Status) ["the backend returned status {}", status.0],
        "The backend returned an error code of its own, which is the status.",
        "See the CUDA driver's list of error codes.";
    INTERNAL = 25, Status::UNKNOWN, Internal ["an internal error was caught"],
        "gevt caught a bug of its own.",
        "Please report it, with the steps that lead to it.";
    TRACING = 26, Status::ILLEGAL_STATE, Tracing ["a trace is already running"],
        "A trace is already running.",
        "Stop it first. A process has one trace at a time.";
    NOT_TRACING = 27, Status::ILLEGAL_STATE, NotTracing ["no trace is running"],
        "No trace is running.",
        "Start one with gevt_trace_start.";
    FILE = 28, Status::OPERATING_SYSTEM, File(number: i32) ["the file cannot be created or written: {}",
        std::io::Error::from_raw_os_error(*number)],
        "A file cannot be created or written.",
        "Check the path, its permissions and the free disk space. It must be a regular file.";
    NOT_EXPORTABLE = 29, Status::INVALID_HANDLE, NotExportable ["the event cannot be exported"],
        "The event was created without INTERPROCESS, or was imported.",
        "Create the event with GEVT_EVENT_INTERPROCESS and GEVT_EVENT_DISABLE_TIMING, and export it in the process that created it.";
    IPC_BAD_HANDLE = 30, Status::MAP_FAILED, IpcBadHandle ["the interprocess handle is not one of an event that can be opened"],
        "The bytes are not those of an event that can be opened.",
        "Pass on the bytes unchanged, to the same backend, while the exporting process keeps the event.";
    IPC_SAME_PROCESS = 31, Status::INVALID_CONTEXT, IpcSameProcess ["the interprocess handle was exported by this process"],
        "The event was exported by this process.",
        "Use the handle that the event already has in this process.";
    IPC_PEER_GONE = 32, *status, PeerGone(status: Status) ["the process that the event depends on has ended"],
        "The process that exported the event, or that made its last record, has ended.",
        "Record the event again, or destroy it.";
    IPC_FOREIGN_USER = 33, Status::MAP_FAILED, IpcForeignUser ["the interprocess handle belongs to another user's process"],
        "The event belongs to a process of another user.",
        "Run both processes as the same user. Processes that cannot be traced (ptrace) cannot share events.";
    UNSUPPORTED = 34, Status::NOT_SUPPORTED, Unsupported(text: &'static str) ["the backend does not support this: {text}"],
        "The backend, the device or the queue does not support the call.",
        "The function's comment in the header says what it needs.";
    SUBMIT_FAILED = 35, *status, SubmitFailed(status: Status) ["the submit that should have completed the event failed"],
        "The submit that should have completed the event failed, or its batch was canceled.",
        "Record the event again.";
    NO_TIME = 36, Status::ILLEGAL_STATE, NoTime ["no timestamp was written for the event's last record"],
        "No timestamp was written for the event's last record.",
        "Call gevt_vulkan_write_time for a batch. A queue family without timestamps, and a point of the program's, have none.";
    BATCH = 37, Status::ILLEGAL_STATE, Batch(text: &'static str) ["{text}"],
        "A batch is open on the queue, or the named one is not.",
        "End each batch with gevt_vulkan_submit_end before the queue is used again.";
    VULKAN = 38, Status::UNKNOWN, Vulkan(number: i32) ["Vulkan returned VkResult {number}"],
        "Vulkan returned an error that has no status of its own.",
        "Run the program with Vulkan's validation layers.";
    EVENT_FAILED = 39, *status, EventFailed(status: Status) ["what had to complete the event failed (status {})", status.0],
        "The event was signaled with a failure, destroyed unsignaled, or recorded after a wait that failed.",
        "The status is that of the failure. Record, or reset and signal, the event again.";
    HOST_SIGNALED = 40, Status::ILLEGAL_STATE, HostSignalled(text: &'static str) ["{text}"],
        "The event is host-signaled, or is not, or is signaled already.",
        "Create the event with GEVT_EVENT_HOST_SIGNALED to signal it, and without to record it. Reset it to signal it again.";
    EXECUTOR = 41, Status::ILLEGAL_STATE, Executor(text: &'static str) ["{text}"],
        "The executor was set twice or too late, or a number of threads was set beside it.",
        "Call gevt_host_set_executor once, before any call that makes a stream or a callback.";
    NOT_CALIBRATED = 42, Status::ILLEGAL_STATE, NotCalibrated ["the device was too busy to compare its clock with the host's"],
        "The device was too busy to compare its clock with the host's.",
        "Call gevt_context_calibrate while the device is idle.";
}
