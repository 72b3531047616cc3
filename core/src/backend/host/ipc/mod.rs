//! Events that processes share. See `page.rs` for what they share, and `block.rs` for where it lies.

mod block;
#[cfg(all(test, loom))]
mod loom_tests;
mod page;
mod shared;
#[cfg(all(test, not(loom)))]
mod tests;
mod wait;
mod watcher;

pub(super) use shared::SharedEvent;
pub(super) use watcher::{add, start};
