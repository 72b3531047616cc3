//! gevt: GPU events behind a C ABI.
//!
//! A call goes straight down: `ffi` (the exported functions), `table` (handles), `machine` (what is legal and what comes
//! next), `backend` (what runs streams). A module uses only those below it.

#[cfg(panic = "abort")]
compile_error!("gevt catches panics at its boundary: build it with panic = \"unwind\"");

#[cfg(not(loom))]
#[cfg_attr(not(feature = "capi"), allow(dead_code, unused_imports, reason = "the C API alone uses all of it"))]
mod backend;
mod error;
#[cfg(all(feature = "capi", not(loom)))]
pub mod ffi;
#[cfg(not(loom))]
#[doc(hidden)]
pub mod host_api;
#[cfg(not(loom))]
#[cfg_attr(not(feature = "capi"), allow(dead_code, unused_imports, reason = "the C API alone uses all of it"))]
mod machine;
#[cfg(not(loom))]
#[cfg_attr(not(feature = "capi"), allow(dead_code, unused_imports, reason = "the C API alone uses all of it"))]
mod process;
#[cfg_attr(not(feature = "capi"), allow(dead_code, unused_imports, reason = "the C API alone uses all of it"))]
mod status;
#[cfg_attr(not(feature = "capi"), allow(dead_code, unused_imports, reason = "the C API alone uses all of it"))]
mod sync;
#[cfg_attr(not(feature = "capi"), allow(dead_code, unused_imports, reason = "the C API alone uses all of it"))]
mod table;

// For loom only what it tests is built: where threads meet in an event's word, and processes in an event's shared memory.
#[cfg(loom)]
mod backend {
    mod host {
        mod ipc {
            #[cfg(test)]
            mod loom_tests;
            mod page;
        }
    }
    mod recorded;
    pub(crate) use recorded::Recorded;
}
#[cfg(loom)]
mod machine {
    #[cfg(test)]
    mod loom_tests;
    mod memory;
    mod state;
}

pub use error::{Detail, Error};
pub use status::Status;
