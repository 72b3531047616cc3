//! Readings: the timestamps of many records, read by one driver call for each run of adjacent queries.

use super::cell::{VulkanCell, VulkanMark};
use super::device::Vulkan;
use super::times::{TimePlace, UnreadStamp};
use crate::backend::Cell;
use ash::vk;

/// A query to read, and the reached record that wrote it.
struct Reading {
    /// Of `place`: the readings are sorted by it.
    number: usize,
    place: &'static TimePlace,
    mark: VulkanMark,
}

/// A query's value, and whether it has one.
type Value = [u64; 2];

/// Adjacent queries of a pool. Their stamps stay locked, so that no record makes a queue write one of them until they are read.
#[derive(Default)]
struct Run {
    stamps: Vec<UnreadStamp<'static>>,
    values: Vec<Value>,
    /// The pool of the first query, and its place there.
    first: Option<(vk::QueryPool, u32)>,
}

impl Run {
    fn with_room_for(queries: usize) -> Option<Run> {
        let mut run = Run::default();
        run.stamps.try_reserve_exact(queries).and_then(|()| run.values.try_reserve_exact(queries)).ok()?;
        Some(run)
    }

    /// Returns whether the query comes next.
    fn continues_with(&self, query: (vk::QueryPool, u32)) -> bool {
        self.first.is_some_and(|(pool, index)| (pool, index + self.stamps.len() as u32) == query)
    }

    /// Reads the queries, and begins anew.
    fn read(&mut self, device: &Vulkan) {
        let Run { stamps, values, first } = self;
        let Some((pool, index)) = first.take() else { return };
        values.clear();
        values.resize(stamps.len(), [0, 0]);
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
        let (size, data) = (size_of_val(&values[..]), values.as_mut_ptr().cast());
        let (stride, count) = (size_of::<Value>() as u64, stamps.len() as u32);
        // SAFETY: the caller has entered the device, so the pool lives; the places of these queries are in it; and the vector holds a
        // result and its availability for each.
        let read =
            unsafe { (device.functions.query_results)(device.handle, pool, index, count, size, data, stride, flags) };
        let is_read = matches!(read, vk::Result::SUCCESS | vk::Result::NOT_READY);
        for (stamp, [ticks, is_available]) in stamps.drain(..).zip(&*values) {
            if is_read && *is_available != 0 {
                stamp.set(*ticks);
            }
        }
    }
}

/// Reads the timestamps of the cells' marks that are reached. One that cannot be read is asked for again by itself.
pub(super) fn read(device: &Vulkan, cells: &mut dyn Iterator<Item = &Cell>) {
    let mut readings = Vec::new();
    for mark in cells.filter_map(|cell| VulkanMark::of(VulkanCell::of(cell).mark())) {
        if let Some(place) = mark.place_reached() {
            if readings.try_reserve(1).is_err() {
                return;
            }
            readings.push(Reading { number: place.number, place, mark });
        }
    }
    // All threads lock stamps in this order.
    readings.sort_unstable_by_key(|reading| reading.number);
    readings.dedup_by_key(|reading| reading.number);
    let Some(mut run) = Run::with_room_for(readings.len()) else { return };
    let Ok(_call) = device.enter() else { return };
    for Reading { place, mark, .. } in readings {
        let query = place.query();
        if !run.continues_with(query) {
            run.read(device);
        }
        if let Some(stamp) = place.unread(mark.timeline, mark.value) {
            run.first.get_or_insert(query);
            run.stamps.push(stamp);
        }
    }
    run.read(device);
}
