//! The events that programs name to the driver in structures: attributes of a launch, and parameters of a graph's node.

use super::types::{CUevent, In};
use cuda_abi::{
    GraphNodeParams, LAUNCH_COMPLETION_EVENT, LAUNCH_LAST, LAUNCH_PROGRAMMATIC_EVENT, LaunchAttribute,
    LaunchAttributeValue, LaunchConfig, NODE_EVENT_RECORD, NODE_EVENT_WAIT, NODE_LAST,
};
use std::mem::offset_of;

/// What a node of a graph or an attribute of a launch does with an event.
#[derive(Clone, Copy)]
pub(crate) enum EventUse {
    Records(CUevent),
    Waits(CUevent),
    Neither,
    /// It is of a kind that came with a later CUDA: it may record one.
    Unknown,
}

impl In<GraphNodeParams> {
    /// Returns what the node does with its event.
    pub(crate) fn event_use(self) -> EventUse {
        if self.0.is_null() {
            return EventUse::Neither;
        }
        // SAFETY: the caller's promise: the driver reads the same parameters.
        let kind = unsafe { (&raw const (*self.0).kind).read_unaligned() };
        // SAFETY: as above. The parameters of an event node begin with the event.
        let event = || unsafe { (&raw const (*self.0).params).cast::<CUevent>().read_unaligned() };
        match kind {
            NODE_EVENT_RECORD => EventUse::Records(event()),
            NODE_EVENT_WAIT => EventUse::Waits(event()),
            0..=NODE_LAST => EventUse::Neither,
            _ => EventUse::Unknown,
        }
    }
}

impl In<LaunchAttributeValue> {
    /// Returns what the attribute of that number does with an event.
    pub(crate) fn event_use(self, id: u32) -> EventUse {
        match id {
            LAUNCH_PROGRAMMATIC_EVENT | LAUNCH_COMPLETION_EVENT if !self.0.is_null() => {
                // SAFETY: the caller's promise: the driver reads the same value, which begins with the event.
                EventUse::Records(unsafe { self.0.cast::<CUevent>().read_unaligned() })
            }
            0..=LAUNCH_LAST => EventUse::Neither,
            _ => EventUse::Unknown,
        }
    }
}

impl In<LaunchConfig> {
    /// Returns what the launch's attributes do with events.
    pub(crate) fn event_uses(self) -> impl Iterator<Item = EventUse> {
        let (first, count) = if self.0.is_null() {
            (std::ptr::null(), 0)
        } else {
            // SAFETY: the caller's promise: the driver reads the same configuration.
            unsafe {
                ((&raw const (*self.0).attributes).read_unaligned(), (&raw const (*self.0).count).read_unaligned())
            }
        };
        let count = if first.is_null() { 0 } else { count };
        (0..count as usize).map(move |number| {
            let attribute = first.wrapping_add(number);
            // SAFETY: the configuration says that there are so many attributes.
            let id = unsafe { (&raw const (*attribute).id).read_unaligned() };
            let value = attribute.wrapping_byte_add(offset_of!(LaunchAttribute, value));
            In::<LaunchAttributeValue>(value.cast()).event_use(id)
        })
    }
}
