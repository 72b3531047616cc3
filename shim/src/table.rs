//! The table of the driver's functions that have to do with events: each is ours, watched or left alone, and why.
//!
//! All that needs the list takes it from here: look-ups, the driver's addresses, the documentation, the checks.

use crate::driver::types::*;
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::AtomicPtr;

/// The CUDA version up to which all forms of the functions are listed.
pub(crate) const LISTED: i32 = 13050;

/// What becomes of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// It goes through gevt's state machine.
    Ours,
    /// It goes to the driver, and what it did to events, streams and captures is kept.
    Watched,
}

/// One symbol that this library exports.
#[cfg_attr(not(test), expect(dead_code, reason = "role and reason are for the documentation, which a test writes"))]
pub(crate) struct Row {
    pub(crate) symbol: &'static CStr,
    /// The first CUDA version whose callers get this form from cuGetProcAddress.
    pub(crate) since: i32,
    pub(crate) role: Role,
    /// The reason, in a sentence.
    pub(crate) why: &'static str,
    /// Our function.
    pub(crate) function: fn() -> *mut c_void,
    /// The driver's function, once it was looked for.
    pub(crate) real: AtomicPtr<c_void>,
}

/// Makes the table. A row: the symbol with its parameters, the first CUDA version of this form, and the module of `ffi`
/// that has our function. Its result is a [`Code`].
macro_rules! table {
    ($($role:ident $why:literal {
        $($symbol:ident ( $($parameter:ident: $type:ty),* ) $since:literal $module:ident;)*
    })*) => {
        /// A row of the table.
        #[expect(non_camel_case_types, reason = "the driver's own names")]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Symbol { $($($symbol),*),* }

        static ROWS: [Row; Symbol::ALL.len()] = [$($(Row {
            symbol: match CStr::from_bytes_with_nul(concat!(stringify!($symbol), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("an identifier holds no zero"),
            },
            since: $since,
            role: Role::$role,
            why: $why,
            function: || crate::ffi::$module::$symbol as *mut c_void,
            real: AtomicPtr::new(std::ptr::null_mut()),
        }),*),*];

        impl Symbol {
            /// All rows, in the order of the table.
            pub(crate) const ALL: &[Symbol] = &[$($(Symbol::$symbol),*),*];
        }

        /// The signatures of the driver's functions.
        #[expect(non_camel_case_types, reason = "the driver's own names")]
        pub(crate) mod signature {
            use super::*;
            $($(pub(crate) type $symbol = unsafe extern "C" fn($($parameter: $type),*) -> Code;)*)*
        }

        // Our functions have the signatures that the table states.
        $($(const _: signature::$symbol = crate::ffi::$module::$symbol;)*)*
    };
}

table! {
    Ours "It hands out the addresses of functions: ours for those of this table." {
        cuGetProcAddress(name: *const c_char, out: *mut *mut c_void, version: i32, flags: u64) 11030 proc_address;
        cuGetProcAddress_v2(name: *const c_char, out: *mut *mut c_void, version: i32, flags: u64, found: *mut i32) 12000 proc_address;
    }
}

/// The functions that may seem to belong here and are left alone, in groups, each with the reason.
#[cfg(test)]
pub(crate) const LEFT_ALONE: &[(&str, &[&str])] = &[
    (
        "What its nodes record is known from the calls that gave them their events.",
        &["cuGraphLaunch", "cuGraphLaunch_ptsz"],
    ),
    (
        "It tells a node's event, and changes none.",
        &["cuGraphEventRecordNodeGetEvent", "cuGraphEventWaitNodeGetEvent", "cuGraphNodeGetParams"],
    ),
    (
        "An event in a node's attribute is known from the call that first set it.",
        &["cuGraphKernelNodeCopyAttributes", "cuGraphKernelNodeGetAttribute"],
    ),
    ("No attribute of a stream carries an event.", &["cuStreamSetAttribute", "cuStreamSetAttribute_ptsz"]),
    (
        "It tells of a capture or changes what it holds, and neither begins nor ends it.",
        &[
            "cuStreamGetCaptureInfo",
            "cuStreamGetCaptureInfo_ptsz",
            "cuStreamGetCaptureInfo_v2",
            "cuStreamGetCaptureInfo_v2_ptsz",
            "cuStreamGetCaptureInfo_v3",
            "cuStreamGetCaptureInfo_v3_ptsz",
            "cuStreamIsCapturing",
            "cuStreamIsCapturing_ptsz",
            "cuStreamUpdateCaptureDependencies",
            "cuStreamUpdateCaptureDependencies_ptsz",
            "cuStreamUpdateCaptureDependencies_v2",
            "cuStreamUpdateCaptureDependencies_v2_ptsz",
            "cuThreadExchangeStreamCaptureMode",
        ],
    ),
    (
        "A new context has no events.",
        &[
            "cuCtxCreate",
            "cuCtxCreate_v2",
            "cuCtxCreate_v3",
            "cuCtxCreate_v4",
            "cuDevicePrimaryCtxRetain",
            "cuGLCtxCreate",
            "cuGLCtxCreate_v2",
            "cuGreenCtxCreate",
            "cuVDPAUCtxCreate",
            "cuVDPAUCtxCreate_v2",
        ],
    ),
    ("The tables that it gives have no documentation.", &["cuGetExportTable"]),
];

impl Symbol {
    #[inline]
    pub(crate) fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The row of that name.
    pub(crate) fn named(name: &CStr) -> Option<Symbol> {
        Symbol::ALL.iter().copied().find(|symbol| symbol.name() == name)
    }

    pub(crate) fn name(self) -> &'static CStr {
        self.row().symbol
    }

    /// The name that cuGetProcAddress is asked for: without the form's number and the mark of the per-thread stream.
    pub(crate) fn asked(self) -> &'static [u8] {
        let name = self.name().to_bytes();
        let name = name.strip_suffix(b"_ptsz").unwrap_or(name);
        match name {
            [base @ .., b'_', b'v', number] if number.is_ascii_digit() => base,
            _ => name,
        }
    }

    /// Is the calling thread's own stream its default one?
    pub(crate) fn is_per_thread(self) -> bool {
        self.name().to_bytes().ends_with(b"_ptsz")
    }

    /// The address of our function.
    pub(crate) fn ours(self) -> *mut c_void {
        (self.row().function)()
    }
}

#[cfg(test)]
mod tests;
