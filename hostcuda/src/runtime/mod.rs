//! Runtime functions with structures or names of their own. Each behaves like CUDA's function of the same name.
//!
//! If the arguments differ between CUDA 12 and 13, the form of 12 is in an `exports!` of its own.

mod copy;
mod kernel;
mod launch;
mod memory;
mod node;
mod symbol;
