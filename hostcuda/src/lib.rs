//! CUDA without a GPU: the driver's and the runtime's calls that host programs make around events, served by gevt's host
//! backend.
//!
//! `driver` and `runtime` hold the exported functions. Below them stands one module for each noun: contexts, streams,
//! events, captures, graphs, memory. Handles are values of a [`table`], and are never followed as pointers, so that one
//! that was destroyed, or never was, is INVALID_HANDLE.

mod boundary;
mod capture;
mod code;
mod context;
mod device;
mod driver;
mod event;
mod graph;
mod ipc;
mod memory;
mod runtime;
mod shared;
mod stream;
mod symbols;
mod table;
mod visible;
mod work;
