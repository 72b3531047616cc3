//! A place for a timestamp: a query of a pool, and the record that writes it.
//!
//! The host never reads or resets a query that a queue may be writing, which drivers need not survive. A reader publishes the queries that
//! it reads, and then checks that each still has a record that was seen reached. A record first removes the old one, and then waits for a
//! reader of its query. The driver is called without any other lock.

use super::native::NativeDevice;
use super::timeline::Timeline;
use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::process::Uncancelled;
use crate::sync::wait_for_another;
use ash::vk;
use once_cell::sync::OnceCell;
use smallvec::SmallVec;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};

/// No queue family: a place for the program's command buffers.
pub(super) const PROGRAMS: u32 = u32::MAX;
/// The value of a query that was reset and not written.
const NOTHING: u64 = 0;
/// The query's value is unknown.
const UNREAD: u64 = u64::MAX;
/// How many adjacent timestamps are read together at least: those of a batch are often read one after the other.
const TOGETHER: usize = 32;
/// The value of a place without a record.
const VOID: u64 = u64::MAX;

/// A timestamp's ticks, and how many bits of them are valid.
pub(crate) type Ticks = (u64, u32);

/// A pool of queries, all of one kind, with their places.
pub(super) struct Pool {
    pub(super) handle: vk::QueryPool,
    /// The number of the first query among the device's, in the order in which the pools were made.
    pub(super) first: u32,
    /// The queue family of gevt's own records, or [`PROGRAMS`].
    pub(super) kind: u32,
    /// The pool of the places' command buffers.
    pub(super) commands: vk::CommandPool,
    /// They stay in place until the device is freed, as events have their addresses.
    pub(super) places: OnceCell<Box<[TimePlace]>>,
    reader: Reader,
}

/// Reads queries of a pool, for one thread at a time.
#[derive(Default)]
struct Reader {
    values: Mutex<Vec<u64>>,
    /// The queries that are being read: the index after the last one, and in the upper half that of the first.
    range: AtomicU64,
}

/// A place for a timestamp. Its record changes under the lock of the cell that has the place.
#[repr(align(64))]
pub(super) struct TimePlace {
    pub(super) pool: &'static Pool,
    pub(super) index: u32,
    /// The valid bits; 0 if the record has no timestamp.
    bits: AtomicU32,
    /// Writes the timestamp; null in a place for the program's command buffers.
    pub(super) command: vk::CommandBuffer,
    /// The record that writes the query, or has written it; null while that changes, and without one.
    timeline: AtomicPtr<Timeline>,
    value: AtomicU64,
    content: AtomicU64,
}

impl Pool {
    pub(super) fn new(handle: vk::QueryPool, first: u32, kind: u32, commands: vk::CommandPool) -> Pool {
        Pool { handle, first, kind, commands, places: OnceCell::new(), reader: Reader::default() }
    }

    pub(super) fn places(&self) -> &[TimePlace] {
        self.places.get().map_or(&[], |places| places)
    }

    /// Reads up to `most` queries from an index on, up to the first that is not due: its event may be recorded again, or was not read. The
    /// caller has entered the device.
    fn read(
        &self,
        device: &NativeDevice,
        (first, most): (usize, usize),
        is_due: impl Fn(&TimePlace) -> bool,
    ) -> Result<()> {
        let Some(places) = self.places().get(first..).map(|places| &places[..most.min(places.len())]) else {
            return Ok(());
        };
        let _uncancelled = Uncancelled::new();
        let mut values = self.reader.values.lock();
        values.clear();
        values.try_reserve(places.len()).map_err(|_| Error::OutOfMemory)?;
        self.reader.publish(first, places.len());
        fence(Ordering::SeqCst);
        let count = places.iter().take_while(|place| is_due(place)).count();
        // No record waits for queries that are not read: the driver may take long.
        self.reader.publish(first, count);
        let mut code = vk::Result::NOT_READY;
        if count > 0 {
            values.resize(count, UNREAD);
            let (size, data) = (size_of_val(&values[..]), values.as_mut_ptr().cast());
            let (stride, read) = (size_of::<u64>() as u64, device.functions.query_results);
            let (pool, flags) = (self.handle, vk::QueryResultFlags::TYPE_64);
            // SAFETY: the pool lives as long as the device's use and has these queries, and the vector holds a result for each.
            code = unsafe { read(device.handle, pool, first as u32, count as u32, size, data, stride, flags) };
            if matches!(code, vk::Result::SUCCESS | vk::Result::NOT_READY) {
                // Queries that were not written stay unread.
                places.iter().zip(&*values).for_each(|(place, value)| place.content.store(*value, Ordering::Relaxed));
            }
        }
        self.reader.publish(0, 0);
        match code {
            vk::Result::SUCCESS | vk::Result::NOT_READY => Ok(()),
            code => Err(device.error(code)),
        }
    }
}

impl Reader {
    /// Names the queries that are being read. Those before have been read.
    fn publish(&self, first: usize, count: usize) {
        self.range.store((first as u64) << 32 | (first + count) as u64, Ordering::Release);
    }

    /// Returns whether the query is being read.
    fn reads(&self, index: u32) -> bool {
        let range = self.range.load(Ordering::Acquire);
        ((range >> 32) as u32..range as u32).contains(&index)
    }
}

impl TimePlace {
    pub(super) fn new(pool: &'static Pool, index: u32, command: vk::CommandBuffer) -> TimePlace {
        TimePlace {
            pool,
            index,
            bits: AtomicU32::new(0),
            command,
            timeline: AtomicPtr::default(),
            value: AtomicU64::new(VOID),
            content: AtomicU64::new(NOTHING),
        }
    }

    /// Returns whether it serves gevt's own records on a queue of the family, or the program's command buffers.
    pub(super) fn serves(&self, kind: u32) -> bool {
        self.pool.kind == kind
    }

    #[inline]
    fn record(&self) -> (*const Timeline, u64) {
        (self.timeline.load(Ordering::Acquire).cast_const(), self.value.load(Ordering::Acquire))
    }

    /// Returns whether no queue writes the query any more.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        let (timeline, value) = self.record();
        // SAFETY: the timeline of a stream of the device, which owns the place as well.
        unsafe { timeline.as_ref() }.is_none_or(|its| its.is_known(value) || its.reached(value) == Ok(true))
    }

    /// The record has no timestamp, and no queue uses the query.
    pub(super) fn void(&self) {
        self.value.store(VOID, Ordering::Relaxed);
        self.timeline.store(std::ptr::null_mut(), Ordering::Release);
    }

    /// The known timestamp of a record, with its valid bits; `None` if the place has another record. The caller has seen the record
    /// in a cell.
    #[inline]
    fn load(&self, record: (*const Timeline, u64)) -> Option<Ticks> {
        // What is stored for the record stands before the record in the cell.
        let ticks = (self.content.load(Ordering::Relaxed), self.bits.load(Ordering::Relaxed));
        fence(Ordering::Acquire);
        (self.record() == record).then_some(ticks)
    }

    /// The timestamp of a record, if it has been read. The caller has seen the record in a cell.
    #[inline]
    pub(super) fn known(&self, timeline: &Timeline, value: u64) -> Option<Ticks> {
        self.load((std::ptr::from_ref(timeline), value)).filter(|(content, bits)| *bits != 0 && *content != UNREAD)
    }

    /// The timestamp of the timeline's value, which is reached; `None` if the place has a later record. Reads up to `ahead` of the queries
    /// after it as well.
    #[cold]
    pub(super) fn read(
        &self,
        device: &NativeDevice,
        timeline: &Timeline,
        value: u64,
        ahead: usize,
    ) -> Result<Option<Ticks>> {
        let record = (std::ptr::from_ref(timeline), value);
        if self.load(record).is_some_and(|(content, bits)| bits != 0 && content == UNREAD) {
            let _call = device.enter()?;
            let reached = timeline.seen();
            let is_due = |place: &TimePlace| {
                let (its, value) = place.record();
                let is_unread = place.content.load(Ordering::Relaxed) == UNREAD;
                its == record.0 && value <= reached && is_unread && place.bits.load(Ordering::Relaxed) != 0
            };
            self.pool.read(device, (self.index as usize, ahead.max(TOGETHER)), is_due)?;
        }
        match self.load(record) {
            // Not written, as the program did not submit the command buffer with the batch.
            Some((UNREAD, _) | (_, 0)) => Err(Error::NoTime),
            Some(ticks) => Ok(Some(ticks)),
            None if self.value.load(Ordering::Relaxed) == VOID => Err(Error::NoTime),
            None => Ok(None),
        }
    }

    /// Returns its number among the device's places. Those of a pool are in the order of their queries.
    #[inline]
    pub(super) fn number(&self) -> u32 {
        self.pool.first + self.index
    }

    /// Writes the timestamp into a command buffer.
    ///
    /// # Safety
    /// The command buffer is one of the device's, is being recorded, and is the calling thread's to record; the stage is one
    /// bit, of the 32 if there is no synchronization2.
    pub(super) unsafe fn write(&self, device: &NativeDevice, command: vk::CommandBuffer, stage: u64) {
        let pool = self.pool.handle;
        // SAFETY: by this function's requirement.
        unsafe {
            match (u32::try_from(stage), device.functions.write_time2) {
                (Err(_), Some(write)) => write(command, vk::PipelineStageFlags2::from_raw(stage), pool, self.index),
                (stage, _) => {
                    let stage = stage.map_or(vk::PipelineStageFlags::BOTTOM_OF_PIPE, vk::PipelineStageFlags::from_raw);
                    (device.functions.write_time)(command, stage, pool, self.index);
                }
            }
        }
    }
}

/// Removes the records of places; afterwards no thread reads their queries.
fn take_records(places: &[&TimePlace]) {
    places.iter().for_each(|place| place.timeline.store(std::ptr::null_mut(), Ordering::Relaxed));
    fence(Ordering::SeqCst);
    for place in places {
        let mut tries = 0;
        while place.pool.reader.reads(place.index) {
            wait_for_another(tries);
            tries += 1;
        }
    }
}

/// Resets the queries of places that no queue uses, unless the host cannot. Adjacent ones are reset by one call.
fn reset(device: &NativeDevice, places: &[&TimePlace]) {
    for run in places.chunk_by(|one, next| std::ptr::eq(one.pool, next.pool) && one.index + 1 == next.index) {
        if let [first, ..] = run
            && device.reset_queries(first.pool.handle, first.index, run.len())
        {
            run.iter().for_each(|place| place.content.store(NOTHING, Ordering::Relaxed));
        }
    }
}

/// The timeline's value is the next record that writes the queries of the places, all of one kind, on a queue of the family. Where the last
/// such record may still be writing, it has no timestamp.
pub(super) fn expect(
    places: &[&'static TimePlace],
    device: &NativeDevice,
    family: u32,
    timeline: &'static Timeline,
    value: u64,
) {
    let are_idle: SmallVec<[bool; 16]> = places.iter().map(|place| place.is_idle()).collect();
    take_records(places);
    let all = || places.iter().copied().zip(are_idle.iter().copied());
    let used = all().filter(|(place, is_idle)| *is_idle && place.content.load(Ordering::Relaxed) != NOTHING);
    let used: SmallVec<[&TimePlace; 16]> = used.map(|(place, _)| place).collect();
    match used.first() {
        Some(own) if own.pool.kind != PROGRAMS && device.resets_by_command(family) => {
            used.iter().for_each(|place| place.content.store(NOTHING, Ordering::Relaxed));
        }
        _ => reset(device, &used),
    }
    let bits = device.valid_bits(family);
    for (place, is_idle) in all() {
        place.content.store(UNREAD, Ordering::Relaxed);
        place.bits.store(if is_idle { bits } else { 0 }, Ordering::Relaxed);
        // A reader that finds the value finds what was stored before.
        place.value.store(value, Ordering::Release);
        place.timeline.store(std::ptr::from_ref(timeline).cast_mut(), Ordering::Release);
    }
}

/// The places are free, and their queries are reset if the host can do that.
pub(super) fn free(device: &NativeDevice, places: &[&TimePlace]) {
    // First: no thread may read a query that is being reset.
    take_records(places);
    places.iter().for_each(|place| place.value.store(VOID, Ordering::Relaxed));
    reset(device, places);
}
