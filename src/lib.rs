//! gevt: GPU events behind a C ABI. `include/gevt.h` is generated from this folder.
//!
//! An exported function checks its pointers, makes one call into the core inside [`boundary::call`], and writes its outputs
//! only on success.
//!
//! Comments here are those of the header: `# Errors` and `# Returns` become `@retval` commands there, and `# Safety` is left
//! out, as the header's front page has the rules for pointers. `gevt.h.in` gives the order.

#[cfg(panic = "abort")]
compile_error!("gevt catches panics at its boundary: build it with panic = \"unwind\"");

mod array;
mod boundary;
pub mod callback;
pub mod context;
pub mod elapsed;
mod emergency_heap;
pub mod event;
#[cfg(gevt_planted)]
mod fault_injection;
pub mod info;
pub mod ipc;
pub mod last;
pub mod library;
pub mod log;
mod log_variable;
pub mod out;
pub mod query;
pub mod record;
pub mod signal;
mod sized;
pub mod stream;
pub mod sync;
pub mod threads;
pub mod trace;
pub mod types;
pub mod vulkan;

#[global_allocator]
static ALLOCATOR: emergency_heap::Allocator = emergency_heap::Allocator;
