//! The exported functions, and what lies between C and the rest.

pub(crate) mod boundary;
pub(crate) mod capture;
pub(crate) mod context;
pub(crate) mod event;
pub(crate) mod fault;
pub(crate) mod graph;
pub(crate) mod ipc;
pub(crate) mod launch;
mod look_up;
pub(crate) mod proc_address;
pub(crate) mod stream;
