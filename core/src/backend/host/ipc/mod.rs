//! Events that processes share. See `page.rs` for what they share, and `block.rs` for where it lies.

mod block;
#[cfg(all(test, loom))]
mod loom_tests;
mod page;
mod random;
mod shared;
#[cfg(all(test, not(loom)))]
mod tests;
mod wait;
mod watcher;

pub(super) use shared::SharedEvent;
pub(super) use wait::Look;

use crate::error::{Error, Result};
use crate::status::Status;

/// The answer where the process that had to finish a record is gone.
pub(super) const PEER_GONE: Error = Error::PeerGone(Status::CONTEXT_IS_DESTROYED);

impl Look {
    /// Returns whether the record is done; an error if it cannot be any more.
    fn reached(self) -> Result<bool> {
        match self {
            Look::Done => Ok(true),
            Look::Pending => Ok(false),
            Look::Gone => Err(PEER_GONE),
            Look::Failed(status) => Err(Error::EventFailed(status)),
        }
    }
}
