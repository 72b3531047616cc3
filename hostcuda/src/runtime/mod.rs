//! The runtime API. Each function stands for CUDA's of the same name, and answers as that does.
//!
//! The library serves callers of CUDA 12 and 13 by one set of functions. Where the releases disagree about one, a caller
//! of 12 gets there under a name of its own (`_v2`, `_v3`), so that the plain name can have the form of 13.

mod copy;
mod device;
mod door;
mod error;
mod event;
mod graph;
mod kernel;
mod library;
mod memory;
mod properties;
mod stream;
