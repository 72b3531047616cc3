//! The real driver and the loader: the driver's types, where its functions are, and what the loader knows of addresses.

pub(crate) mod address;
pub(crate) mod call_site;
pub(crate) mod contexts;
mod dynamic;
pub(crate) mod elf;
pub(crate) mod function;
pub(crate) mod handlers;
pub(crate) mod libc_look_up;
pub(crate) mod library;
pub(crate) mod types;
