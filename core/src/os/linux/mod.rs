//! Linux.

pub(crate) mod clock;
pub(crate) mod handlers;
pub(crate) mod memory;
pub(crate) mod process;
pub(crate) mod sleep;
pub(crate) mod thread;
