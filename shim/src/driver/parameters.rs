//! The structures in which programs name events to the driver: attributes of a launch, and parameters of a graph's node.

use super::types::{CUevent, CUstream, In};

const WAIT_EVENT: i32 = 6;
const EVENT_RECORD: i32 = 7;
const LAST_NODE: i32 = 13;
const PROGRAMMATIC_EVENT: u32 = 7;
const LAUNCH_COMPLETION_EVENT: u32 = 12;

/// CUgraphNodeParams. Those of both kinds of event nodes begin with the event.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUgraphNodeParams {
    kind: i32,
    _reserved: [i32; 3],
    event: CUevent,
    _rest: [u64; 28],
    _reserved_too: i64,
}
const _: () = assert!(size_of::<CUgraphNodeParams>() == 256 && std::mem::offset_of!(CUgraphNodeParams, event) == 16);

/// CUlaunchAttributeValue. Those that name an event begin with it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUlaunchAttributeValue {
    event: CUevent,
    _rest: [u64; 7],
}
const _: () = assert!(size_of::<CUlaunchAttributeValue>() == 64);

/// CUlaunchAttribute
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUlaunchAttribute {
    id: u32,
    _padding: u32,
    value: CUlaunchAttributeValue,
}
const _: () = assert!(size_of::<CUlaunchAttribute>() == 72 && std::mem::offset_of!(CUlaunchAttribute, value) == 8);

/// CUlaunchConfig
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUlaunchConfig {
    _grid_and_block: [u32; 6],
    _shared_bytes: u32,
    _stream: CUstream,
    attributes: *const CUlaunchAttribute,
    count: u32,
}
const _: () = assert!(size_of::<CUlaunchConfig>() == 56 && std::mem::offset_of!(CUlaunchConfig, attributes) == 40);

/// What a node of a graph or an attribute of a launch does with an event.
#[derive(Clone, Copy)]
pub(crate) enum EventUse {
    Records(CUevent),
    Waits(CUevent),
    Neither,
    /// It is of a kind that came with a later CUDA: it may record one.
    Unknown,
}

impl In<CUgraphNodeParams> {
    /// Returns what the node does with its event.
    pub(crate) fn event_use(self) -> EventUse {
        if self.0.is_null() {
            return EventUse::Neither;
        }
        // SAFETY: the caller's promise: the driver reads the same parameters.
        let (kind, event) = unsafe { ((&raw const (*self.0).kind).read_unaligned(), &raw const (*self.0).event) };
        match kind {
            // SAFETY: as above, and a node of this kind has an event.
            EVENT_RECORD => EventUse::Records(unsafe { event.read_unaligned() }),
            // SAFETY: as above, and a node of this kind has an event.
            WAIT_EVENT => EventUse::Waits(unsafe { event.read_unaligned() }),
            0..=LAST_NODE => EventUse::Neither,
            _ => EventUse::Unknown,
        }
    }
}

impl In<CUlaunchAttributeValue> {
    /// Returns what the attribute of that number does with an event.
    pub(crate) fn event_use(self, id: u32) -> EventUse {
        match id {
            PROGRAMMATIC_EVENT | LAUNCH_COMPLETION_EVENT if !self.0.is_null() => {
                // SAFETY: the caller's promise: the driver reads the same value, which begins with the event.
                EventUse::Records(unsafe { self.0.cast::<CUevent>().read_unaligned() })
            }
            // There is no 15.
            0..=14 | 16..=18 => EventUse::Neither,
            _ => EventUse::Unknown,
        }
    }
}

impl In<CUlaunchConfig> {
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
            let value = attribute.wrapping_byte_add(std::mem::offset_of!(CUlaunchAttribute, value));
            In::<CUlaunchAttributeValue>(value.cast()).event_use(id)
        })
    }
}
