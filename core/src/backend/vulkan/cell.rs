//! What the Vulkan backend keeps in an event: a value of a timeline, and where its time stamp stands.

use super::timeline::Timeline;
use crate::backend::Mark;
use crate::backend::cell::{Cell, CellState, LockedCell};
use std::sync::atomic::{AtomicU64, Ordering};

/// The words of a cell.
#[repr(C)]
pub(super) struct VulkanState {
    /// The address of the timeline; 0 where there is no mark.
    timeline: AtomicU64,
    value: AtomicU64,
    /// The address of the place of the time stamp; 0 where there is none.
    time: AtomicU64,
}

// SAFETY: three atomics; zeros are an event without a mark.
unsafe impl CellState for VulkanState {}

/// A mark of this backend.
#[derive(Clone, Copy)]
pub(super) struct VulkanMark {
    pub(super) timeline: &'static Timeline,
    pub(super) value: u64,
    pub(super) time: u64,
}

impl VulkanMark {
    /// The mark in this backend's terms; none where nothing was recorded.
    #[inline]
    pub(super) fn of(Mark([timeline, value, time]): Mark) -> Option<VulkanMark> {
        if timeline == 0 {
            return None;
        }
        // SAFETY: only `VulkanCell::set` makes this backend's marks, with the address of a timeline that lives as long as an event
        // with such a mark is in use.
        Some(VulkanMark { timeline: unsafe { &*(timeline as *const Timeline) }, value, time })
    }
}

/// A cell of an event that is bound to a Vulkan context.
#[derive(Clone, Copy)]
pub(super) struct VulkanCell<'a> {
    cell: &'a Cell,
    state: &'a VulkanState,
}

impl<'a> VulkanCell<'a> {
    #[inline]
    pub(super) fn of(cell: &'a Cell) -> VulkanCell<'a> {
        VulkanCell { cell, state: cell.state() }
    }

    #[inline]
    fn load(self) -> Mark {
        let VulkanState { timeline, value, time } = self.state;
        Mark([timeline, value, time].map(|word| word.load(Ordering::Relaxed)))
    }

    /// The present mark.
    #[inline]
    pub(super) fn mark(self) -> Mark {
        self.cell.read(|| self.load())
    }

    /// Sets the mark, in a cell that is locked.
    pub(super) fn set(self, locked: &mut LockedCell<'_>, mark: Mark) {
        locked.next_serial();
        locked.write(|| {
            let VulkanState { timeline, value, time } = self.state;
            for (word, new) in [timeline, value, time].into_iter().zip(mark.0) {
                word.store(new, Ordering::Relaxed);
            }
        });
    }

    pub(super) fn lock(self) -> LockedCell<'a> {
        self.cell.lock()
    }
}

/// The mark of a value.
pub(super) fn mark_of(timeline: &'static Timeline, value: u64, time: u64) -> Mark {
    Mark([std::ptr::from_ref(timeline) as u64, value, time])
}
