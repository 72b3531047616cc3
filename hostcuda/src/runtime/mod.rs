//! The runtime API. Each function behaves like CUDA's function of the same name.
//!
//! If the arguments differ between CUDA 12 and 13, the form of 12 is in an `exports!` of its own.

mod copy;
mod device;
mod error;
mod fill;
mod kernel;
mod launch;
mod library;
mod memory;
mod node;
mod properties;
mod symbol;
