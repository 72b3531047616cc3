//! Status codes: CUDA's numbers. Codes of newer drivers are also valid values.

use std::ffi::CStr;

/// The result of a call: one of CUDA's numbers, with or without a name here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Status(pub i32);

macro_rules! statuses {
    ($($name:ident = $code:literal, $text:literal;)*) => {
        impl Status {
            $(#[doc = $text] pub const $name: Status = Status($code);)*
            /// Every status that has a name, in ascending order.
            pub const ALL: &'static [Status] = &[$(Status::$name),*];
        }
        fn entry(status: Status) -> Option<(&'static CStr, &'static CStr)> {
            match status.0 {
                $($code => Some((c_str(concat!(statuses!(@prefix $name), "\0")), c_str(concat!($text, "\0")))),)*
                _ => None,
            }
        }
    };
    (@prefix SUCCESS) => { "GEVT_SUCCESS" };
    (@prefix $name:ident) => { concat!("GEVT_ERROR_", stringify!($name)) };
}

/// The text of a string that ends with a NUL.
pub(crate) fn c_str(text: &'static str) -> &'static CStr {
    CStr::from_bytes_with_nul(text.as_bytes()).unwrap_or_default()
}

statuses! {
    SUCCESS = 0, "The call succeeded.";
    INVALID_VALUE = 1, "An argument is out of range, or a required pointer is NULL.";
    OUT_OF_MEMORY = 2, "Memory, threads, handles or file descriptors have run out.";
    NOT_INITIALIZED = 3, "The call was made in a forked child.";
    DEINITIALIZED = 4, "The process is exiting.";
    NO_DEVICE = 100, "The backend has no driver or no device.";
    INVALID_DEVICE = 101, "The backend has no device with this number.";
    INVALID_CONTEXT = 201, "The context cannot be used for this call.";
    MAP_FAILED = 205, "The bytes are not those of an event that can be opened.";
    OPERATING_SYSTEM = 304, "A system call failed.";
    INVALID_HANDLE = 400, "A handle is NULL, stale or of the wrong kind, or does not fit the other arguments.";
    ILLEGAL_STATE = 401, "The object is not in a state that allows the call.";
    NOT_READY = 600, "The work has not finished yet.";
    CONTEXT_IS_DESTROYED = 709, "The context was destroyed by its owner, or the process that made the last record has ended.";
    LAUNCH_FAILED = 719, "Work on the device failed, or the device was lost: the context cannot recover.";
    NOT_SUPPORTED = 801, "The backend does not support this.";
    STREAM_CAPTURE_UNSUPPORTED = 900, "The call is not allowed while a stream is being captured.";
    STREAM_CAPTURE_INVALIDATED = 901, "An earlier error invalidated the capture of the stream.";
    STREAM_CAPTURE_MERGE = 902, "The call would merge two captures.";
    STREAM_CAPTURE_UNMATCHED = 903, "The capture was not started on this stream.";
    STREAM_CAPTURE_UNJOINED = 904, "The capture has work that was not joined to the stream on which it was started.";
    STREAM_CAPTURE_ISOLATION = 905, "A captured stream would depend on work outside the capture.";
    STREAM_CAPTURE_IMPLICIT = 906, "The call would make a captured stream depend on the default stream.";
    CAPTURED_EVENT = 907, "The event was last recorded in a capture.";
    STREAM_CAPTURE_WRONG_THREAD = 908, "The capture was started by another thread.";
    TIMEOUT = 909, "The timeout expired before the work finished.";
    UNKNOWN = 999, "The cause is unknown.";
}

impl Status {
    /// Returns the name of the status as C spells it.
    pub fn name(self) -> &'static CStr {
        entry(self).map_or(c"GEVT_ERROR_UNRECOGNIZED", |(name, _)| name)
    }

    /// Returns one sentence that says what the status means.
    pub fn text(self) -> &'static CStr {
        entry(self).map_or(c"A driver code that this version of gevt does not know.", |(_, text)| text)
    }
}
