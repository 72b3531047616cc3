//! Functions that the driver API and the runtime API have with the same arguments and answers. Each is defined once.

mod device;
pub(crate) mod fill;
pub(crate) mod graph;
pub(crate) mod library;
pub(crate) mod memory;
pub(crate) mod stream;
