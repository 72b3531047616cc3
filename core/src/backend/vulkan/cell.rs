//! What the Vulkan backend keeps in an event: a value of a timeline, and where its time stamp stands.

use super::device::Vulkan;
use super::timeline::{Timeline, check_failure, check_reached};
use super::times::{PROGRAMS, TimePlace};
use crate::backend::Mark;
use crate::backend::cell::{Cell, CellState, LockedCell};
use crate::backend::deadlock::Dependency;
use crate::error::{Error, Result};
use std::sync::atomic::{AtomicU64, Ordering};

/// In the word of the time stamp: it is the next batch's, and not the mark's.
const NEXT: u64 = 1;

/// The words of a cell.
#[repr(C)]
pub(super) struct VulkanState {
    /// The address of the timeline; 0 where there is no mark.
    timeline: AtomicU64,
    value: AtomicU64,
    /// The address of the time stamp's place; 0 where there is none.
    time: AtomicU64,
}

// SAFETY: three atomics of eight bytes; zeros are an event without a mark.
unsafe impl CellState for VulkanState {}

/// A mark of this backend.
#[derive(Clone, Copy)]
pub(super) struct VulkanMark {
    pub(super) timeline: &'static Timeline,
    pub(super) value: u64,
    time: u64,
}

/// The mark of a value, with the address of the place of its time stamp.
pub(super) fn mark_of(timeline: &'static Timeline, value: u64, time: u64) -> Mark {
    Mark([std::ptr::from_ref(timeline) as u64, value, time])
}

impl VulkanMark {
    /// The mark in this backend's terms; none where nothing was recorded.
    #[inline]
    pub(super) fn of(Mark([timeline, value, time]): Mark) -> Option<VulkanMark> {
        if timeline == 0 {
            return None;
        }
        // SAFETY: only `mark_of` makes this backend's marks, with the address of a timeline that lives as long as an event with
        // such a mark is in use.
        Some(VulkanMark { timeline: unsafe { &*(timeline as *const Timeline) }, value, time })
    }

    /// Returns whether the stream has come to the mark; an error where the submit failed that should have led there.
    #[inline]
    pub(super) fn reached(self) -> Result<bool> {
        check_failure(self.timeline, self.value)?;
        let reached = self.timeline.reached(self.value)?;
        if reached {
            check_reached(self.timeline, self.value)?;
        }
        Ok(reached)
    }

    /// The mark as something to wait for.
    pub(super) fn dependency(self) -> Dependency {
        self.timeline.dependency(self.value)
    }

    /// Where the mark's time stamp stands, if it has one.
    fn place(self) -> Option<&'static TimePlace> {
        if self.time & NEXT != 0 { None } else { TimePlace::of(self.time) }
    }

    /// The time stamp of a mark that is reached, and how many bits of it are valid.
    pub(super) fn stamp(self, device: &Vulkan) -> Result<(u64, u32)> {
        // Before, the place may still have the time stamp that was there before.
        let place = self.place().filter(|_| self.reached() == Ok(true)).ok_or(Error::NoTime)?;
        place.read(device, self.timeline, self.value)
    }

    /// The place of a record that gevt made, which is done, on a queue of the family.
    pub(super) fn own_place(self, family: u32) -> Option<&'static TimePlace> {
        self.place().filter(|place| place.serves(family) && self.timeline.is_known(self.value))
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

    /// The words, in a cell that is locked or read.
    #[inline]
    pub(super) fn load(self) -> Mark {
        let VulkanState { timeline, value, time } = self.state;
        Mark([timeline, value, time].map(|word| word.load(Ordering::Relaxed)))
    }

    /// The present mark.
    #[inline]
    pub(super) fn mark(self) -> Mark {
        self.cell.read(|| self.load())
    }

    pub(super) fn lock(self) -> LockedCell<'a> {
        self.cell.lock()
    }

    /// Sets the words of a cell that is locked.
    pub(super) fn set(self, locked: &mut LockedCell<'_>, mark: Mark) {
        locked.next_serial();
        self.store(locked, mark);
    }

    fn store(self, locked: &mut LockedCell<'_>, mark: Mark) {
        locked.write(|| {
            let VulkanState { timeline, value, time } = self.state;
            for (word, new) in [timeline, value, time].into_iter().zip(mark.0) {
                word.store(new, Ordering::Relaxed);
            }
        });
    }

    /// Gives back what the mark of a locked cell holds, which is about to be replaced; but for the place of its time stamp if
    /// that is used again.
    pub(super) fn leave(self, device: &'static Vulkan, keeps_place: bool) {
        let mark = self.load();
        let old = VulkanMark::of(mark);
        if let Some(old) = old {
            old.timeline.failures.left(old.value);
        }
        let Some(place) = TimePlace::of(mark.0[2] & !NEXT).filter(|_| !keeps_place) else { return };
        match old {
            Some(old) if mark.0[2] & NEXT == 0 => device.times.put_later(place, old.timeline, old.value),
            _ => device.times.put(place),
        }
    }

    /// The next batch that records the event takes its time stamp from there; the present mark has none any more.
    pub(super) fn set_next_place(self, device: &'static Vulkan, place: &'static TimePlace) {
        let mut locked = self.lock();
        let Mark([timeline, value, time]) = self.load();
        if let Some(old) = TimePlace::of(time & !NEXT) {
            match VulkanMark::of(self.load()) {
                Some(mark) if time & NEXT == 0 => device.times.put_later(old, mark.timeline, mark.value),
                _ => device.times.put(old),
            }
        }
        self.store(&mut locked, Mark([timeline, value, place.address() | NEXT]));
    }

    /// The place of a time stamp that a command buffer of the program's writes for the batch that records the event now; and
    /// whether the present mark has it, too.
    pub(super) fn place_for_batch(self) -> Option<(&'static TimePlace, bool)> {
        let Mark([_, _, time]) = self.load();
        let place = TimePlace::of(time & !NEXT).filter(|place| place.serves(PROGRAMS))?;
        Some((place, time & NEXT == 0))
    }
}
