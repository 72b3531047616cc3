//! The driver API, and the runtime API without what `runtime` has. Each function behaves like CUDA's function of the same name.

pub(crate) mod advice;
pub(crate) mod capture;
pub(crate) mod context;
pub(crate) mod copy;
pub(crate) mod device;
pub(crate) mod edges;
pub(crate) mod event;
pub(crate) mod event_node;
pub(crate) mod exec;
pub(crate) mod fill;
pub(crate) mod function;
pub(crate) mod graph;
pub(crate) mod kernel_node;
pub(crate) mod launch;
pub(crate) mod library;
pub(crate) mod mem_op;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod node;
pub(crate) mod pool;
pub(crate) mod stream;
pub(crate) mod user_object;
