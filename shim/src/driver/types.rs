//! The driver's types that the functions of the table take, and pointers to them.

pub(crate) use cuda_abi::{
    CUcontext, CUdevice, CUevent, CUfunction, CUgraph, CUgraphExec, CUgraphNode, CUgreenCtx, CUresult, CUstream,
    IpcHandle, code,
};
use cuda_abi::{EventUse, GraphNodeParams, LaunchAttribute, LaunchAttributeValue, LaunchConfig};

/// A pointer that the driver writes through. Only the C caller of an exported function makes one, and promises what the
/// driver's function asks of it.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Out<T>(*mut T);

impl<T: Copy> Out<T> {
    /// Returns what the driver wrote, if `code` says that it succeeded.
    pub(crate) fn written(self, code: CUresult) -> Option<T> {
        // SAFETY: the driver succeeded, so the caller's pointer was good and the driver has written there. It need not be aligned.
        (code == 0).then(|| unsafe { self.0.read_unaligned() })
    }
}

/// A pointer that the driver reads through. Only the C caller of an exported function makes one, and promises that it is NULL
/// or points to what the driver's function reads.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct In<T>(*const T);

impl<T: Copy> In<T> {
    /// Returns the structure, or `None` for NULL.
    pub(crate) fn get(self) -> Option<T> {
        // SAFETY: the caller's promise: the driver reads the same structure. It need not be aligned.
        (!self.0.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }
}

impl In<GraphNodeParams> {
    /// Returns what the node does with an event.
    pub(crate) fn event_uses(self) -> Option<EventUse> {
        self.get().map(|params| params.event_use())
    }
}

impl In<LaunchAttributeValue> {
    /// Returns what the attribute of that number does with an event.
    pub(crate) fn event_uses(self, id: u32) -> Option<EventUse> {
        self.get().map(|value| value.event_use(id))
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
