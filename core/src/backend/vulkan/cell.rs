//! The Vulkan backend's marks: a value of a timeline, and the place of its timestamp. A cell holds the same three words.

use super::native::NativeDevice;
use super::stamp::{PROGRAMS, Ticks, TimePlace};
use super::timeline::Timeline;
use super::times::Times;
use crate::backend::cell::LockedCell;
use crate::backend::{Cell, EventRef, Mark};
use crate::error::{Error, Result};
use crate::kind::Kind;
use crate::probe;
use smallvec::SmallVec;

/// A mark of this backend.
#[derive(Clone, Copy)]
pub(super) struct VulkanMark {
    pub(super) timeline: &'static Timeline,
    pub(super) value: u64,
    /// The place of a timestamp: the mark's, or one that the next batch takes.
    place: Option<&'static TimePlace>,
}

/// The mark of a value, with the place of its timestamp.
pub(super) fn mark_of(timeline: &'static Timeline, value: u64, place: Option<&'static TimePlace>) -> Mark {
    Mark([std::ptr::from_ref(timeline) as u64, value, address(place)])
}

fn address(place: Option<&'static TimePlace>) -> u64 {
    place.map_or(0, |place| std::ptr::from_ref(place) as u64)
}

/// The place of the timestamp in the words of a cell.
#[inline]
fn place_of(Mark([_, _, place]): Mark) -> Option<&'static TimePlace> {
    // SAFETY: `address` alone makes this word. Places stay as long as their device, and the caller has an event of it in use.
    unsafe { (place as *const TimePlace).as_ref() }
}

impl VulkanMark {
    /// The mark in this backend's terms; none if nothing was recorded.
    #[inline]
    pub(super) fn of(mark: Mark) -> Option<VulkanMark> {
        let Mark([timeline, value, _]) = mark;
        // SAFETY: only `mark_of` makes this backend's marks, with the address of a timeline that lives as long as an event with
        // such a mark is in use.
        let timeline = unsafe { (timeline as *const Timeline).as_ref() }?;
        Some(VulkanMark { timeline, value, place: place_of(mark) })
    }

    /// Returns whether the stream has reached the mark, or why it failed. The failure of a submit shows at once, others when the mark is
    /// reached.
    #[inline]
    pub(super) fn reached(self) -> Result<bool> {
        let failure = || self.timeline.spans.at(self.value);
        if let Some(error) = failure().filter(|error| !matches!(error, Error::EventFailed(_))) {
            return Err(error);
        }
        Ok(self.timeline.reached(self.value)? && failure().map_or(Ok(true), Err)?)
    }

    /// The timestamp; `None` while the mark is pending, and if its place has a later record. Reads up to `ahead` timestamps of later
    /// records as well.
    pub(super) fn stamp(self, device: &NativeDevice, ahead: usize) -> Result<Option<Ticks>> {
        // First: the timeline of a point without a time may be the program's, which may have ended it.
        let place = self.place.ok_or(Error::NoTime)?;
        if !self.reached()? {
            return Ok(None);
        }
        place.read(device, self.timeline, self.value, ahead)
    }

    /// The timestamp, if it has been read and the record has not failed.
    #[inline(always)]
    pub(super) fn known_stamp(self) -> Option<Ticks> {
        let stamp = self.place?.known(self.timeline, self.value)?;
        if self.timeline.spans.at(self.value).is_none() { Some(stamp) } else { None }
    }

    /// The place of a record that gevt made, which is done, on a queue of the family.
    pub(super) fn own_place(self, family: u32) -> Option<&'static TimePlace> {
        self.place.filter(|place| place.serves(family) && self.timeline.is_known(self.value))
    }
}

/// The place in a mark of the timestamp that the program's command buffer writes.
#[inline]
pub(super) fn programs_place(mark: Mark) -> Option<&'static TimePlace> {
    place_of(mark).filter(|place| place.serves(PROGRAMS))
}

/// Refuses to record an event of gevt_vulkan_wrap_point.
#[inline]
pub(super) fn check_recordable(old: Mark) -> Result<()> {
    match VulkanMark::of(old) {
        Some(old) if old.timeline.is_programs => Err(Error::Unsupported("a point of the program's cannot be recorded")),
        _ => Ok(()),
    }
}

/// Replaces the mark of a locked cell, and gives back the place of its timestamp unless the new mark has it as well.
#[inline]
pub(super) fn replace(locked: &mut LockedCell<'_>, times: &Times, mark: Mark) {
    let was = locked.cell().words();
    locked.set(mark);
    if was.0[2] != mark.0[2] {
        put_place(times, was);
    }
}

/// Empties the cell, whose event is destroyed.
pub(super) fn release(times: &Times, cell: &Cell) {
    let mut locked = cell.lock();
    let old = VulkanMark::of(cell.words());
    replace(&mut locked, times, Mark::default());
    drop(locked);
    if let Some(old) = old {
        // SAFETY: the cell was the event's, and has the mark no more.
        unsafe { old.timeline.release() };
    }
}

/// Gives back the place in a mark that was replaced.
fn put_place(times: &Times, mark: Mark) {
    place_of(mark).into_iter().for_each(|place| times.put(place));
}

/// The place of the timestamp that the program's command buffer writes for the next batch that records the event. It is the one
/// that the last such command buffer writes, unless that may be running.
pub(super) fn place_to_write(event: EventRef<'_>, times: &Times) -> Result<&'static TimePlace> {
    let mut locked = lock(event)?;
    let mark = event.cell.words();
    check_recordable(mark)?;
    let is_idle = VulkanMark::of(mark).is_none_or(|old| old.timeline.reached(old.value) == Ok(true));
    if let Some(place) = programs_place(mark).filter(|_| is_idle) {
        return Ok(place);
    }
    let place = times.take(PROGRAMS)?;
    let Mark([timeline, value, _]) = mark;
    locked.set_words(Mark([timeline, value, address(Some(place))]));
    put_place(times, mark);
    Ok(place)
}

/// Locks the cell of an event, which then is not recycled: that locks the cell as well.
#[inline]
pub(super) fn lock(event: EventRef<'_>) -> Result<LockedCell<'_>> {
    let locked = event.cell.lock();
    if event.lasts() { Ok(locked) } else { Err(Error::StaleHandle(Kind::Event)) }
}

/// Places of timestamps that the program's command buffers write.
pub(super) type Places = SmallVec<[&'static TimePlace; 16]>;

/// The events of a batch, with their cells locked: none is recycled, and no other thread records one.
pub(super) struct LockedEvents<Events: Iterator<Item = EventRef<'static>> + Clone> {
    events: Events,
    /// So many of them, the first ones, are locked.
    count: usize,
}

impl<Events: Iterator<Item = EventRef<'static>> + Clone> LockedEvents<Events> {
    /// Locks the events and adds the places of their timestamps; `None` while another thread has locked one.
    #[inline]
    pub(super) fn lock(events: Events, places: &mut Places) -> Result<Option<LockedEvents<Events>>> {
        let mut locked = LockedEvents { events: events.clone(), count: 0 };
        for event in events {
            let Some(cell) = event.cell.try_lock() else {
                return if has_twice(locked.events.clone()) { Err(Error::BadArgument("records")) } else { Ok(None) };
            };
            cell.keep_locked();
            locked.count += 1;
            if !event.lasts() {
                return Err(Error::StaleHandle(Kind::Event));
            }
            let old = event.cell.words();
            check_recordable(old)?;
            if let Some(place) = programs_place(old) {
                places.push(place);
            }
            probe::release_native_record(event.cell);
        }
        Ok(Some(locked))
    }

    /// Replaces the marks by the timeline's value.
    #[inline]
    pub(super) fn record(self, times: &Times, timeline: &'static Timeline, value: u64) {
        for event in self.events.clone() {
            let place = programs_place(event.cell.words());
            replace(&mut event.cell.locked(), times, mark_of(timeline, value, place));
        }
        std::mem::forget(self);
    }
}

impl<Events: Iterator<Item = EventRef<'static>> + Clone> Drop for LockedEvents<Events> {
    fn drop(&mut self) {
        self.events.clone().take(self.count).for_each(|event| drop(event.cell.locked()));
    }
}

/// Returns whether an event is in the list twice.
#[cold]
fn has_twice(events: impl Iterator<Item = EventRef<'static>>) -> bool {
    let mut cells: Vec<_> = events.map(|event| event.cell.address()).collect();
    cells.sort_unstable();
    cells.windows(2).any(|pair| pair[0] == pair[1])
}
