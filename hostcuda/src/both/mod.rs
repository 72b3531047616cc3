//! Functions that the driver API and the runtime API have with the same arguments and answers. Each is defined once.

pub(crate) mod advice;
pub(crate) mod batch;
mod device;
pub(crate) mod fill;
pub(crate) mod graph;
mod ipc;
pub(crate) mod library;
pub(crate) mod memory;
mod pool;
pub(crate) mod stream;
