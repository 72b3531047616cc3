//! The drop-in: the event calls of an unmodified CUDA program, taken through gevt's state machine.
//!
//! A call goes straight down. `ffi` has the exported functions, made from one table. `call` does what every call does. `events`,
//! `streams` and `contexts` decide what becomes of it. `tracked` and `map` hold what is known of a pointer. `driver` has the real functions.

#[cfg(panic = "abort")]
compile_error!("the drop-in catches panics at its boundary: build it with panic = \"unwind\"");

mod call;
mod captures;
mod contexts;
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
mod trace;
mod tracked;
