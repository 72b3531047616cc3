//! The runtime API. Each function stands for CUDA's of the same name, and answers as that does.
//!
//! The library serves callers of CUDA 12 and 13 with one set of functions. Where the releases disagree about one, callers of
//! 12 use a name of its own (`_v2`, `_v3`), so that the plain name has the form of 13.

mod advice;
mod array;
mod array_copy;
mod channel;
mod copy;
mod device;
mod edges;
mod entry_points;
mod error;
mod event;
mod event_node;
mod fill;
pub(crate) mod function;
mod graph;
mod kernel;
mod launch;
mod library;
mod memory;
mod module;
mod needed;
mod node;
mod occupancy;
mod properties;
mod stream;
mod symbol;
mod symbol_node;
