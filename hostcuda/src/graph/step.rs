//! What nodes do.

use super::memory::GraphMemory;
use crate::handle::Handle;
use crate::transfer::Source;
use crate::work::Work;
use std::sync::Arc;

/// What a node does.
#[derive(Clone)]
pub(crate) enum Step {
    Empty,
    Work(Work),
    /// Records the event.
    Record(Handle),
    /// Waits for the event's last record.
    Wait(Handle),
    /// Does what a graph does that is the node's own.
    Child(Handle),
    /// Allocates memory, which is there as long as the node.
    Allocate(Arc<GraphMemory>),
    /// Frees the memory at an address.
    Free(usize),
}

impl Step {
    /// The type as CUDA numbers it.
    pub(crate) fn kind(&self) -> i32 {
        match self {
            Step::Work(Work::Transfer(transfer, _)) if matches!(transfer.from, Source::Memory(_)) => 1,
            Step::Work(Work::Transfer(..)) => 2,
            Step::Work(Work::Kernel(_)) => 0,
            Step::Work(_) => 3,
            Step::Child(_) => 4,
            Step::Empty => 5,
            Step::Wait(_) => 6,
            Step::Record(_) => 7,
            Step::Allocate(_) => 10,
            Step::Free(_) => 11,
        }
    }

    pub(crate) fn is_memory(&self) -> bool {
        matches!(self, Step::Allocate(_) | Step::Free(_))
    }

    /// Returns whether a graph that can be launched may leave it out: kernels, copies and sets.
    pub(crate) fn can_be_disabled(&self) -> bool {
        self.kind() <= 2
    }
}
