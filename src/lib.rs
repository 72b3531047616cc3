//! gevt: GPU events behind a C ABI.
//!
//! A call goes straight down: `ffi` (the exported functions), `table` (handles), `machine` (what is legal and what comes
//! next), `backend` (what runs streams). A module uses only those below it.

#[cfg(panic = "abort")]
compile_error!("gevt catches panics at its boundary: build it with panic = \"unwind\"");

#[cfg_attr(not(feature = "capi"), allow(dead_code, unused_imports, reason = "the C API alone uses all of it"))]
mod backend;
mod clock;
mod error;
#[cfg(all(feature = "capi", not(loom)))]
pub mod ffi;
#[cfg(not(loom))]
#[doc(hidden)]
pub mod host_api;
#[cfg_attr(not(feature = "capi"), allow(dead_code, unused_imports, reason = "the C API alone uses all of it"))]
mod log;
#[cfg(not(loom))]
#[cfg_attr(not(feature = "capi"), allow(dead_code, unused_imports, reason = "the C API alone uses all of it"))]
mod machine;
#[doc(hidden)]
pub mod native_events;
#[cfg_attr(not(feature = "capi"), allow(dead_code, unused_imports, reason = "the C API alone uses all of it"))]
mod process;
#[cfg_attr(not(feature = "capi"), allow(dead_code, unused_imports, reason = "the C API alone uses all of it"))]
mod status;
#[cfg_attr(not(feature = "capi"), allow(dead_code, unused_imports, reason = "the C API alone uses all of it"))]
mod sync;
#[cfg_attr(not(feature = "capi"), allow(dead_code, unused_imports, reason = "the C API alone uses all of it"))]
mod table;
#[cfg_attr(not(feature = "capi"), allow(dead_code, unused_imports, reason = "the C API alone uses all of it"))]
mod text;
#[cfg_attr(not(feature = "capi"), allow(dead_code, unused_imports, reason = "the C API alone uses all of it"))]
mod trace;

// For loom only what it tests of the machine is built: where threads meet in an event's word.
#[cfg(loom)]
mod machine {
    #[cfg(test)]
    mod loom_tests;
    pub(crate) mod memory;
    pub(crate) mod state;
}

pub use error::{Detail, Error};
pub use status::Status;
