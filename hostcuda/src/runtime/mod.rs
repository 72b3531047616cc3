//! The runtime API. Each function stands for CUDA's of the same name, and answers as that does.
//!
//! A function whose arguments differ between CUDA 12 and 13 has the form of 13 in the file of its subject, and that of 12 in `twelve`.

mod advice;
mod array;
mod array_copy;
mod channel;
mod copy;
mod device;
mod edges;
mod error;
mod fill;
pub(crate) mod function;
mod graph;
mod kernel;
mod launch;
mod library;
mod memory;
mod module;
mod node;
mod occupancy;
mod properties;
mod symbol;
mod symbol_node;
mod twelve;
