//! CUDA's binary interface as data: the functions of the driver and the runtime, and the types and numbers that they use.
//!
//! Nothing here calls CUDA. The lists in `data/` hold facts from NVIDIA's headers; no header is part of this crate.

#![no_std]

mod codes;
mod flags;
mod functions;
mod structs;
mod types;

pub use codes::*;
pub use flags::*;
pub use functions::*;
pub use structs::*;
pub use types::*;
