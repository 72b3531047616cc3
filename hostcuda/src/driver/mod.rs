//! The driver API. Each function stands for CUDA's of the same name, and answers as that does.

mod array;
mod array_copy;
mod context;
pub(crate) mod copy;
mod device;
mod edges;
mod event;
mod event_node;
mod function;
mod graph;
mod launch;
mod library;
mod mem_op;
mod memory;
pub(crate) mod module;
mod node;
mod occupancy;
mod stream;
