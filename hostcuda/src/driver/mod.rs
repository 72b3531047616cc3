//! The driver API. Each function stands for CUDA's of the same name, and answers as that does.

mod context;
pub(crate) mod copy;
mod device;
mod edges;
pub(crate) mod event;
mod graph;
mod library;
mod memory;
mod node;
mod stream;
