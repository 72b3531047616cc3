//! The events that programs name to the driver in structures: attributes of a launch, and parameters of a graph's node.

use super::types::In;
use cuda_abi::{EventUse, GraphNodeParams, LaunchAttribute, LaunchAttributeValue, LaunchConfig};

impl<T: Copy> In<T> {
    /// Returns the structure, or `None` for NULL.
    fn get(self) -> Option<T> {
        // SAFETY: the caller's promise: the driver reads the same structure. It need not be aligned.
        (!self.0.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }
}

impl In<GraphNodeParams> {
    /// Returns what the node does with its event.
    pub(crate) fn event_use(self) -> EventUse {
        self.get().map_or(EventUse::Neither, |params| params.event_use())
    }
}

impl In<LaunchAttributeValue> {
    /// Returns what the attribute of that number does with an event.
    pub(crate) fn event_use(self, id: u32) -> EventUse {
        self.get().map_or(EventUse::Neither, |value| value.event_use(id))
    }
}

impl In<LaunchConfig> {
    /// Returns what the launch's attributes do with events.
    pub(crate) fn event_uses(self) -> impl Iterator<Item = EventUse> {
        let (first, count) = self.get().map_or((std::ptr::null(), 0), |config| (config.attributes, config.count));
        let count = if first.is_null() { 0 } else { count as usize };
        let attributes = (0..count).filter_map(move |at| In::<LaunchAttribute>(first.wrapping_add(at)).get());
        attributes.map(|LaunchAttribute { id, value, .. }| value.event_use(id))
    }
}
