//! CUDA without a GPU: the driver and runtime calls that host programs make around events, served by gevt's host backend.
//!
//! `driver` and `runtime` contain the exported functions. Handles are numbers of the core's tables and are never followed as pointers. A
//! destroyed or unknown handle is refused.

#![allow(non_snake_case, reason = "exported functions have CUDA's names")]

mod code;
mod handle;
mod own_event;
mod probe;
mod report;
mod symbols;
mod visible;

mod device;
mod settings;

mod context;
mod pool;

mod device_memory;

mod block;
mod ipc_memory;
mod release;

mod kernel;
mod primary;
mod stream;
mod transfer;
mod word;

mod poller;

mod work;

mod graph;

mod capture;

mod event;
mod submit;

mod graph_launch;
mod memory;
mod stream_arg;

mod boundary;

mod driver;
mod runtime;
