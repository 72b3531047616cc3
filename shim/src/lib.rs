//! The drop-in: the event calls of an unmodified CUDA program, taken through gevt's state machine.
//!
//! `ffi` holds the exported functions, `table` the list of them, and `driver` finds the functions of the real driver that
//! they call.

#[cfg(panic = "abort")]
compile_error!("the drop-in catches panics at its boundary: build it with panic = \"unwind\"");

mod captures;
mod driver;
mod events;
mod ffi;
mod leaks;
mod map;
mod misuse;
mod process;
mod settings;
mod stats;
mod stderr;
mod streams;
mod table;
