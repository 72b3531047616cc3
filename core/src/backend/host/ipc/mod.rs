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

pub(super) use page::Outcome;
pub(super) use shared::SharedEvent;

use crate::error::{Error, Result};
use crate::status::Status;

/// The answer where the process that had to finish a record is gone.
pub(super) const PEER_GONE: Error = Error::PeerGone(Status::CONTEXT_IS_DESTROYED);

impl Outcome {
    /// Returns whether the record is complete; an error if it cannot complete any more.
    fn reached(self) -> Result<bool> {
        match self {
            Outcome::Done => Ok(true),
            Outcome::Pending(_) => Ok(false),
            Outcome::Lost => Err(PEER_GONE),
            Outcome::Failed(status) => Err(Error::EventFailed(status)),
        }
    }
}
