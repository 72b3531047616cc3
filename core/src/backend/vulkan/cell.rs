//! The Vulkan backend's state in an event: a timeline value and the slot of its timestamp.

use super::device::Vulkan;
use super::stamp::{PROGRAMS, Ticks, TimePlace};
use super::timeline::{Timeline, check_reached, check_submit};
use crate::backend::Mark;
use crate::backend::cell::{Cell, CellState, LockedCell};
use crate::backend::deadlock::Dependency;
use crate::error::{Error, Result};
use std::sync::atomic::{AtomicU64, Ordering};

/// The words of a cell.
#[repr(C)]
pub(super) struct VulkanState {
    /// The address of the timeline; 0 without a mark.
    timeline: AtomicU64,
    value: AtomicU64,
    /// The address of a timestamp's slot: the mark's, or one that the next batch takes; 0 without a timestamp.
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

/// The mark of a value, with the address of the place of its timestamp.
pub(super) fn mark_of(timeline: &'static Timeline, value: u64, time: u64) -> Mark {
    Mark([std::ptr::from_ref(timeline) as u64, value, time])
}

impl VulkanMark {
    /// The mark in this backend's terms; none if nothing was recorded.
    #[inline]
    pub(super) fn of(Mark([timeline, value, time]): Mark) -> Option<VulkanMark> {
        if timeline == 0 {
            return None;
        }
        // SAFETY: only `mark_of` makes this backend's marks, with the address of a timeline that lives as long as an event with
        // such a mark is in use.
        let known = unsafe { &*(timeline as *const Timeline) };
        Some(VulkanMark { timeline: known, value, time })
    }

    /// Returns whether the stream has reached the mark, or the error of a failed submit.
    #[inline]
    pub(super) fn reached(self) -> Result<bool> {
        check_submit(self.timeline, self.value)?;
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

    /// The timestamp; `None` while the mark is pending, and if its place has a later record. Reads up to `ahead` timestamps of later
    /// records as well.
    pub(super) fn stamp(self, device: &Vulkan, ahead: usize) -> Result<Option<Ticks>> {
        // First: the timeline of a point without a time may be the program's, which may have ended it.
        let place = TimePlace::of(self.time).ok_or(Error::NoTime)?;
        if !self.reached()? {
            return Ok(None);
        }
        place.read(device, self.timeline, self.value, ahead)
    }

    /// The timestamp, if it has been read and the record has not failed.
    #[inline]
    pub(super) fn known_stamp(self) -> Option<Ticks> {
        let stamp = TimePlace::of(self.time)?.known(self.timeline, self.value);
        stamp.filter(|_| check_reached(self.timeline, self.value).is_ok())
    }

    /// The place of a record that gevt made, which is done, on a queue of the family.
    pub(super) fn own_place(self, family: u32) -> Option<&'static TimePlace> {
        TimePlace::of(self.time).filter(|place| place.serves(family) && self.timeline.is_known(self.value))
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

    /// The mark of a cell that is locked or read.
    #[inline]
    pub(super) fn load(self) -> Mark {
        self.cell.words()
    }

    /// The present mark.
    #[inline]
    pub(super) fn mark(self) -> Mark {
        self.cell.read(|| self.load())
    }

    pub(super) fn lock(self) -> LockedCell<'a> {
        self.cell.lock()
    }

    /// Sets the first mark of a cell that is locked.
    pub(super) fn set(self, locked: &mut LockedCell<'_>, mark: Mark) {
        locked.next_serial();
        self.store(locked, mark);
    }

    fn store(self, locked: &mut LockedCell<'_>, mark: Mark) {
        locked.write(|| {
            let VulkanState { timeline, value, time } = self.state;
            timeline.store(mark.0[0], Ordering::Relaxed);
            value.store(mark.0[1], Ordering::Relaxed);
            time.store(mark.0[2], Ordering::Relaxed);
        });
    }

    /// Replaces the mark of a cell that is locked, and gives back the place of its timestamp unless the new mark has it as well.
    pub(super) fn replace(self, locked: &mut LockedCell<'_>, device: &'static Vulkan, mark: Mark) {
        let was = self.load();
        self.set(locked, mark);
        if was.0[2] != mark.0[2] {
            put_place(device, was);
        }
    }

    /// The place of the timestamp that the program's command buffer writes for the next batch that records the event. It is the one
    /// that the last such command buffer writes, unless that may be running.
    pub(super) fn place_to_write(self, device: &'static Vulkan) -> Result<&'static TimePlace> {
        let mut locked = self.lock();
        let mark = self.load();
        let old = VulkanMark::of(mark);
        let is_idle = old.is_none_or(|old| old.timeline.reached(old.value) == Ok(true));
        if let Some(place) = programs_place(mark).filter(|_| is_idle) {
            return Ok(place);
        }
        let place = device.times.take(device, PROGRAMS)?;
        let Mark([timeline, value, _]) = mark;
        self.store(&mut locked, Mark([timeline, value, place.address()]));
        put_place(device, mark);
        Ok(place)
    }
}

/// The place in a mark of the timestamp that the program's command buffer writes.
#[inline]
pub(super) fn programs_place(mark: Mark) -> Option<&'static TimePlace> {
    TimePlace::of(mark.0[2]).filter(|place| place.serves(PROGRAMS))
}

/// Gives back the place in a mark that was replaced.
fn put_place(device: &'static Vulkan, mark: Mark) {
    TimePlace::of(mark.0[2]).into_iter().for_each(|place| device.times.put(place));
}
