//! The driver API. Each function stands for CUDA's of the same name, and answers as that does.

mod context;
mod copy;
pub(crate) mod device;
pub(crate) mod event;
pub(crate) mod fill;
pub(crate) mod graph;
mod library;
pub(crate) mod memory;
pub(crate) mod stream;
