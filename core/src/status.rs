//! Status codes: CUDA's own numbers, open to those that a newer driver may add.

use std::ffi::CStr;

/// What a call answered: one of CUDA's numbers, known here or not.
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
                $($code => {
                    const NAME: &str = concat!(statuses!(@prefix $name), "\0");
                    const TEXT: &str = concat!($text, "\0");
                    Some((c_str(NAME), c_str(TEXT)))
                })*
                _ => None,
            }
        }
    };
    (@prefix SUCCESS) => { "GEVT_SUCCESS" };
    (@prefix $name:ident) => { concat!("GEVT_ERROR_", stringify!($name)) };
}

const fn c_str(bytes: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(bytes.as_bytes()) {
        Ok(text) => text,
        Err(_) => c"",
    }
}

statuses! {
    SUCCESS = 0, "The call succeeded.";
    INVALID_VALUE = 1, "An argument is out of its range, or an output pointer is NULL.";
    OUT_OF_MEMORY = 2, "There is not enough memory, or a table is full.";
    NOT_INITIALIZED = 3, "The process was forked: gevt works only in the parent.";
    DEINITIALIZED = 4, "The process is exiting.";
    NO_DEVICE = 100, "The backend has no driver or no device.";
    INVALID_DEVICE = 101, "The backend has no device of that number.";
    INVALID_CONTEXT = 201, "The context cannot be used for this call.";
    MAP_FAILED = 205, "The bytes name no event of another process that can be opened.";
    OPERATING_SYSTEM = 304, "A call of the operating system failed.";
    INVALID_HANDLE = 400, "A handle is NULL, stale, of another kind, or does not fit the others.";
    ILLEGAL_STATE = 401, "The event or stream is not in a state that allows the call.";
    NOT_READY = 600, "The work has not finished yet.";
    CONTEXT_IS_DESTROYED = 709, "The context was destroyed by its owner, or the process that had to finish the record is gone.";
    NOT_SUPPORTED = 801, "The backend does not have this.";
    STREAM_CAPTURE_UNSUPPORTED = 900, "The call is not allowed while a stream is captured.";
    STREAM_CAPTURE_INVALIDATED = 901, "The stream's capture was invalidated by an earlier error.";
    STREAM_CAPTURE_MERGE = 902, "The call would have merged two captures.";
    STREAM_CAPTURE_UNMATCHED = 903, "The capture was not begun on this stream.";
    STREAM_CAPTURE_UNJOINED = 904, "The capture has work that was not joined to its first stream.";
    STREAM_CAPTURE_ISOLATION = 905, "A captured stream would depend on work outside the capture.";
    STREAM_CAPTURE_IMPLICIT = 906, "The call would have made a captured stream depend on the default stream.";
    CAPTURED_EVENT = 907, "The event was last recorded in a capture.";
    STREAM_CAPTURE_WRONG_THREAD = 908, "The capture was begun by another thread.";
    TIMEOUT = 909, "The time ran out before the work finished.";
    UNKNOWN = 999, "The cause is not known.";
}

impl Status {
    /// The name of the status as C spells it.
    pub fn name(self) -> &'static CStr {
        entry(self).map_or(c"GEVT_ERROR_UNRECOGNIZED", |(name, _)| name)
    }

    /// One sentence that says what the status means.
    pub fn text(self) -> &'static CStr {
        entry(self).map_or(c"The driver's own code, which gevt has no text for.", |(_, text)| text)
    }
}
