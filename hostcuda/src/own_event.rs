//! Events of the core that streams wait for.

use gevt_core::Event;

/// An event that ends with its last owner.
pub(crate) struct OwnEvent(pub(crate) Event);

impl Drop for OwnEvent {
    fn drop(&mut self) {
        let _ = self.0.destroy();
    }
}
