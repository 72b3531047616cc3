//! The driver API. Each function stands for CUDA's of the same name, and answers as that does.

mod context;
mod copy;
mod device;
pub(crate) mod event;
mod graph;
mod library;
mod memory;
mod stream;
