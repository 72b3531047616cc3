//! gevt: GPU events behind a C ABI. `include/gevt.h` is generated from this folder.
//!
//! An export checks its pointers, makes one call into the core inside [`boundary::call`], and writes its outputs on
//! success only.

#![expect(clippy::missing_safety_doc, reason = "the header's front page says once what every pointer must be")]

#[cfg(panic = "abort")]
compile_error!("gevt catches panics at its boundary: build it with panic = \"unwind\"");

mod boundary;
pub mod codes;
pub mod context;
pub mod event;
pub mod info;
pub mod ipc;
pub mod last;
pub mod library;
pub mod log;
pub mod record;
pub mod stream;
pub mod sync;
pub mod trace;
pub mod types;
