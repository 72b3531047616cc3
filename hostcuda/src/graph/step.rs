//! The operations of nodes.

use super::memory::GraphMemory;
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::transfer::{Source, Transfer};
use crate::work::Work;
use std::sync::Arc;

/// The operation of a node.
#[derive(Clone)]
pub(crate) enum Step {
    Empty,
    Work(Work),
    /// Records the event.
    Record(Handle),
    /// Waits for the event's last record.
    Wait(Handle),
    /// Runs a child graph that the node owns.
    Child(Handle),
    /// Allocates memory, whose address is valid as long as the node.
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
            Step::Work(Work::WaitFor(_) | Work::Write(..)) => 12,
            Step::Work(_) => 3,
            Step::Child(_) => 4,
            Step::Empty => 5,
            Step::Wait(_) => 6,
            Step::Record(_) => 7,
            Step::Allocate(_) => 10,
            Step::Free(_) => 11,
        }
    }

    /// Releases a step without a node. It owns its child graph.
    pub(crate) fn end(&self) {
        if let Step::Child(child) = self {
            let _ = super::end(*child);
        }
    }

    /// Returns whether an update of an executable graph may replace this step. The types must be equal. A copy must be in one row or have
    /// the same size, between the same kinds of memory, described in the same way. A set must have the same number of rows.
    pub(crate) fn may_become(&self, other: &Step) -> bool {
        match (self, other) {
            (Step::Work(Work::Transfer(old, _)), Step::Work(Work::Transfer(new, _))) => {
                let flat = |of: &Transfer| of.height <= 1 && of.depth <= 1;
                match self.kind() == other.kind() {
                    true if matches!(old.from, Source::Memory(_)) => {
                        let alike = |of: &Transfer| (of.width, of.height, of.depth);
                        let fits = flat(old) && flat(new) || alike(old) == alike(new);
                        old.sides == new.sides && old.has_ends_of(new) && fits
                    }
                    true => old.height == new.height && (flat(old) || old.width == new.width),
                    false => false,
                }
            }
            _ => self.kind() == other.kind() && !self.is_memory(),
        }
    }

    pub(crate) fn is_memory(&self) -> bool {
        matches!(self, Step::Allocate(_) | Step::Free(_))
    }

    /// Refuses a step that an executable graph may not disable. It may disable kernels, copies and sets.
    pub(crate) fn check_disabling(&self) -> Result {
        if self.kind() <= 2 { Ok(()) } else { Err(Code::INVALID_VALUE) }
    }
}
