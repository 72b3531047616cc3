//! Functions that the driver API and the runtime API have with the same arguments and answers. Each is defined once.

pub(crate) mod advice;
pub(crate) mod capture;
mod device;
pub(crate) mod edges;
pub(crate) mod exec;
pub(crate) mod fill;
pub(crate) mod graph;
mod ipc;
pub(crate) mod kernel_node;
pub(crate) mod launch;
pub(crate) mod library;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod node;
pub(crate) mod node_params;
mod pool;
mod settings;
pub(crate) mod stream;
mod user_object;
