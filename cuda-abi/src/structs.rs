//! Structures that more than one part of the repository reads. A pointer in one is the caller's.

use crate::types::{CUevent, CUstream};
use crate::{
    LAUNCH_COMPLETION_EVENT, LAUNCH_LAST, LAUNCH_PROGRAMMATIC_EVENT, NODE_EVENT_RECORD, NODE_EVENT_WAIT, NODE_LAST,
};
use core::ffi::c_void;

/// CUipcEventHandle and CUipcMemHandle, which C passes by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct IpcHandle(pub [u8; 64]);

/// CUgraphNodeParams: a kind, and parameters that depend on it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct GraphNodeParams {
    /// The kind of the node.
    pub kind: i32,
    /// Zeros.
    pub reserved: [i32; 3],
    /// The parameters of that kind. Those of event nodes begin with the event.
    pub params: [u64; 29],
    /// Zero.
    pub reserved_2: u64,
}
const _: () = assert!(size_of::<GraphNodeParams>() == 256 && core::mem::offset_of!(GraphNodeParams, params) == 16);

/// What a node of a graph or an attribute of a launch does with an event.
#[derive(Clone, Copy)]
pub enum EventUse {
    /// Records it.
    Records(CUevent),
    /// Waits for it.
    Waits(CUevent),
    /// Has none.
    Neither,
    /// It is of a kind that came with a later CUDA: it may record one.
    Unknown,
}

impl GraphNodeParams {
    /// Returns what the node does with its event.
    pub fn event_use(&self) -> EventUse {
        let event = CUevent(self.params[0] as *mut c_void);
        match self.kind {
            NODE_EVENT_RECORD => EventUse::Records(event),
            NODE_EVENT_WAIT => EventUse::Waits(event),
            0..=NODE_LAST => EventUse::Neither,
            _ => EventUse::Unknown,
        }
    }
}

/// CUlaunchAttributeValue.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchAttributeValue {
    /// The words of the value. Attributes that record an event begin with it.
    pub words: [u64; 8],
}
const _: () = assert!(size_of::<LaunchAttributeValue>() == 64);

impl LaunchAttributeValue {
    /// Returns what an attribute of that number does with an event.
    pub fn event_use(&self, id: u32) -> EventUse {
        match id {
            LAUNCH_PROGRAMMATIC_EVENT | LAUNCH_COMPLETION_EVENT => {
                EventUse::Records(CUevent(self.words[0] as *mut c_void))
            }
            0..=LAUNCH_LAST => EventUse::Neither,
            _ => EventUse::Unknown,
        }
    }
}

/// CUlaunchAttribute and cudaLaunchAttribute.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchAttribute {
    /// The number of the attribute.
    pub id: u32,
    /// Unused.
    pub padding: u32,
    /// Its value.
    pub value: LaunchAttributeValue,
}
const _: () = assert!(size_of::<LaunchAttribute>() == 72 && core::mem::offset_of!(LaunchAttribute, value) == 8);

/// CUlaunchConfig and cudaLaunchConfig_t.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchConfig {
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory. The driver's structure has 4 bytes here, and 4 unused ones.
    pub shared: u64,
    /// The stream.
    pub stream: CUstream,
    /// The attributes.
    pub attributes: *const LaunchAttribute,
    /// How many attributes there are.
    pub count: u32,
}
const _: () = assert!(size_of::<LaunchConfig>() == 56 && core::mem::offset_of!(LaunchConfig, attributes) == 40);
