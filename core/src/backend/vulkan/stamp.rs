//! A place for a timestamp: a query of a pool, and the record that writes it.
//!
//! A query is never read or reset by the host while a queue may be writing it, which drivers need not survive. A reader publishes the
//! queries that it reads, and then checks that each still has the record that the reader has seen reached. A record first takes the old
//! one away, and then waits for a reader of its query. The driver is called without any other lock.

use super::device::Vulkan;
use super::timeline::Timeline;
use crate::error::{Error, Result};
use crate::lock::Mutex;
use ash::vk;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};

/// No queue family: a place for the program's command buffers.
pub(super) const PROGRAMS: u32 = u32::MAX;
/// The value that drivers leave in a query that was not written.
const NOTHING: u64 = 0;
/// The query's value is not known.
const UNREAD: u64 = u64::MAX;
/// How many timestamps of a batch are read with the one that is asked for.
const TOGETHER: usize = 32;
/// The value of a place without a record.
const VOID: u64 = u64::MAX;

/// A timestamp's ticks, and how many bits of them are valid.
pub(super) type Ticks = (u64, u32);

/// The queries of a pool.
pub(super) struct Queries {
    pub(super) pool: vk::QueryPool,
    /// The number of the first query among the device's, in the order in which the pools were made.
    first: u32,
    /// The family of gevt's own records that they are for, or [`PROGRAMS`].
    pub(super) kind: u32,
    /// The pool's places, once they are made, and their number.
    places: AtomicPtr<TimePlace>,
    count: AtomicU32,
    /// Held by the thread that reads: the values and whether they are available.
    reader: Mutex<Vec<[u64; 2]>>,
    /// What it reads: the index after the last query, and in the upper half that of the first.
    range: AtomicU64,
}

/// A place for a timestamp. Its record changes under the lock of the cell that has the place.
pub(super) struct TimePlace {
    pub(super) queries: Arc<Queries>,
    pub(super) index: u32,
    /// The valid bits; 0 where the record has no timestamp.
    bits: AtomicU32,
    /// Writes the timestamp; null in a place for the program's command buffers.
    pub(super) command: vk::CommandBuffer,
    /// The record that writes the query, or has written it; null while that changes, and without one.
    timeline: AtomicPtr<Timeline>,
    value: AtomicU64,
    content: AtomicU64,
    /// The query's value before the record.
    stale: AtomicU64,
}

/// What is known of a record's timestamp.
#[derive(Clone, Copy)]
struct Stamp {
    bits: u32,
    stale: u64,
    content: u64,
}

/// A record of a place, which is reached.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    place: &'static TimePlace,
    record: (*const Timeline, u64),
}

impl Queries {
    pub(super) fn new(pool: vk::QueryPool, first: u32, kind: u32) -> Arc<Queries> {
        Arc::new(Queries {
            pool,
            first,
            kind,
            places: AtomicPtr::default(),
            count: AtomicU32::new(0),
            reader: Mutex::default(),
            range: AtomicU64::new(0),
        })
    }

    /// Lets each place find the next one. They stay where they are as long as the device.
    pub(super) fn set_places(&self, places: &mut [TimePlace]) {
        self.places.store(places.as_mut_ptr(), Ordering::Relaxed);
        self.count.store(places.len() as u32, Ordering::Release);
    }
}

impl TimePlace {
    pub(super) fn new(queries: &Arc<Queries>, index: u32, command: vk::CommandBuffer) -> TimePlace {
        TimePlace {
            queries: queries.clone(),
            index,
            bits: AtomicU32::new(0),
            command,
            timeline: AtomicPtr::default(),
            value: AtomicU64::new(VOID),
            content: AtomicU64::new(NOTHING),
            stale: AtomicU64::new(NOTHING),
        }
    }

    /// The place of an address in a mark; none for 0.
    #[inline]
    pub(super) fn of(address: u64) -> Option<&'static TimePlace> {
        // SAFETY: marks only have addresses of places, which stay as long as their device, and the caller has an event of it in use.
        unsafe { (address as *const TimePlace).as_ref() }
    }

    pub(super) fn address(&'static self) -> u64 {
        std::ptr::from_ref(self) as u64
    }

    /// Returns whether it serves records of gevt's own on a queue of the family, or the program's command buffers.
    pub(super) fn serves(&self, kind: u32) -> bool {
        self.queries.kind == kind
    }

    #[inline]
    fn record(&self) -> (*const Timeline, u64) {
        (self.timeline.load(Ordering::Acquire).cast_const(), self.value.load(Ordering::Relaxed))
    }

    /// Returns whether no queue writes the query any more.
    pub(super) fn is_idle(&self) -> bool {
        let (timeline, value) = self.record();
        // SAFETY: the timeline of a stream of the device, which owns the place as well.
        unsafe { timeline.as_ref() }.is_none_or(|timeline| timeline.reached(value) == Ok(true))
    }

    /// Reads what the query holds where the host cannot reset it, for [`TimePlace::expect`]. No lock is held, as drivers may wait for the
    /// device there, such as lavapipe.
    pub(super) fn prepare(&'static self, device: &Vulkan) {
        if !device.can_reset() && self.content.load(Ordering::Relaxed) == UNREAD && self.is_idle() {
            let Ok(_call) = device.enter() else { return };
            let _ = read_run(device, &[Reading { place: self, record: self.record() }], NOTHING);
        }
    }

    /// Takes the record away; afterwards no thread reads the query.
    fn take_record(&self) {
        self.timeline.store(std::ptr::null_mut(), Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let range = self.queries.range.load(Ordering::Relaxed);
        if ((range >> 32) as u32..range as u32).contains(&self.index) {
            drop(self.queries.reader.lock());
        }
    }

    /// The timeline's value is the next record that writes the query, on a queue of the family. It has no timestamp if the last such record
    /// may still be writing.
    pub(super) fn expect(&self, device: &Vulkan, family: u32, timeline: &'static Timeline, value: u64) {
        let is_idle = self.is_idle();
        self.take_record();
        let mut before = self.content.load(Ordering::Relaxed);
        if is_idle && before != NOTHING {
            let resets_itself = self.queries.kind != PROGRAMS && device.resets_by_command(family);
            if resets_itself || device.reset_queries(self.queries.pool, self.index, 1) {
                before = NOTHING;
            }
        }
        let is_timed = is_idle && before != UNREAD;
        self.content.store(UNREAD, Ordering::Relaxed);
        self.bits.store(if is_timed { device.valid_bits(family) } else { 0 }, Ordering::Relaxed);
        self.stale.store(before, Ordering::Relaxed);
        self.value.store(value, Ordering::Relaxed);
        self.timeline.store(std::ptr::from_ref(timeline).cast_mut(), Ordering::Release);
    }

    /// The record has no timestamp, and no queue uses the query.
    pub(super) fn void(&self) {
        self.value.store(VOID, Ordering::Relaxed);
        self.timeline.store(std::ptr::null_mut(), Ordering::Release);
    }

    /// The place is free, and its query will be reset if the host can do that.
    pub(super) fn free(&self, is_reset: bool) {
        self.take_record();
        self.value.store(VOID, Ordering::Relaxed);
        if is_reset {
            self.content.store(NOTHING, Ordering::Relaxed);
        }
    }

    /// What is known of the record's timestamp, if the place still has the record.
    #[inline]
    fn load(&self, record: (*const Timeline, u64)) -> Option<Stamp> {
        if self.record() != record {
            return None;
        }
        let bits = self.bits.load(Ordering::Relaxed);
        let (stale, content) = (self.stale.load(Ordering::Relaxed), self.content.load(Ordering::Relaxed));
        fence(Ordering::Acquire);
        (self.record() == record).then_some(Stamp { bits, stale, content })
    }

    /// The timestamp of the timeline's value, which is reached; `None` where the place has a later record.
    pub(super) fn read(&'static self, device: &Vulkan, timeline: &Timeline, value: u64) -> Result<Option<Ticks>> {
        let reading = Reading { place: self, record: (timeline, value) };
        if self.load(reading.record).is_some_and(Stamp::is_unread) {
            let _call = device.enter()?;
            // A batch's timestamps are often read one after the other.
            let (mut run, mut count) = ([reading; TOGETHER], 1);
            while let Some(next) = run[count - 1].place.next().and_then(|next| next.unread(timeline, value))
                && count < TOGETHER
            {
                run[count] = next;
                count += 1;
            }
            read_run(device, &run[..count], UNREAD)?;
        }
        match self.load(reading.record) {
            Some(stamp) => stamp.ticks().map(Some).ok_or(Error::NoTime),
            None if self.value.load(Ordering::Relaxed) == VOID => Err(Error::NoTime),
            None => Ok(None),
        }
    }

    /// The timestamp of the timeline's value, if it has been read.
    #[inline]
    pub(super) fn known(&self, timeline: &Timeline, value: u64) -> Option<Ticks> {
        self.load((timeline, value))?.ticks()
    }

    /// The timeline's value, if it has a timestamp that has not been read.
    #[inline]
    pub(super) fn unread(&'static self, timeline: &Timeline, value: u64) -> Option<Reading> {
        let record = (std::ptr::from_ref(timeline), value);
        self.load(record)?.is_unread().then_some(Reading { place: self, record })
    }

    /// The place of the next query of the pool.
    fn next(&self) -> Option<&'static TimePlace> {
        let is_last = self.index + 1 >= self.queries.count.load(Ordering::Acquire);
        let places = self.queries.places.load(Ordering::Relaxed);
        // SAFETY: `set_places` was given more places than that, and they stay as long as the device, whose event the caller has in use.
        (!is_last).then(|| unsafe { &*places.add(self.index as usize + 1) })
    }

    /// Its number among the device's places: those of one pool are in the order of their queries.
    #[inline]
    pub(super) fn number(&self) -> u32 {
        self.queries.first + self.index
    }

    /// Returns whether the query follows this one in its pool.
    #[inline]
    pub(super) fn precedes(&self, next: &TimePlace) -> bool {
        self.index + 1 == next.index && Arc::ptr_eq(&self.queries, &next.queries)
    }

    /// Writes the timestamp into a command buffer.
    ///
    /// # Safety
    /// The command buffer is one of the device's, is being recorded, and is the calling thread's to record; the stage is one
    /// bit, of the 32 if there is no synchronization2.
    pub(super) unsafe fn write(&self, device: &Vulkan, command: vk::CommandBuffer, stage: u64) {
        let pool = self.queries.pool;
        // SAFETY: by this function's requirement.
        unsafe {
            if !device.can_reset() {
                (device.functions.reset_queries)(command, pool, self.index, 1);
            }
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

impl Stamp {
    fn is_unread(self) -> bool {
        self.bits != 0 && self.content == UNREAD
    }

    /// The timestamp. Its query has another value than before, unless the program did not submit the command buffer with the batch.
    fn ticks(self) -> Option<Ticks> {
        let is_written = self.bits != 0 && self.content != UNREAD && self.content != self.stale;
        is_written.then_some((self.content, self.bits))
    }
}

/// Reads the queries by one driver call for each run of adjacent ones. Those that cannot be read stay unread.
pub(super) fn read_all(device: &Vulkan, readings: &mut Vec<Reading>) {
    let number = |reading: &Reading| reading.place.number();
    if !readings.is_sorted_by(|one, next| number(one) < number(next)) {
        readings.sort_unstable_by_key(number);
        readings.dedup_by_key(|reading| number(reading));
    }
    let Ok(_call) = device.enter() else { return };
    for run in readings.chunk_by(|one, next| one.place.precedes(next.place)) {
        let _ = read_run(device, run, UNREAD);
    }
}

/// Reads adjacent queries; those that are not available have the value `unwritten`. The caller has entered the device.
fn read_run(device: &Vulkan, run: &[Reading], unwritten: u64) -> Result<()> {
    let [Reading { place: TimePlace { queries, index, .. }, .. }, ..] = run else { return Ok(()) };
    let mut values = queries.reader.lock();
    values.clear();
    values.try_reserve(run.len()).map_err(|_| Error::OutOfMemory)?;
    values.resize(run.len(), [0, 0]);
    let end = u64::from(*index) + run.len() as u64;
    queries.range.store(u64::from(*index) << 32 | end, Ordering::Relaxed);
    fence(Ordering::SeqCst);
    let mut code = vk::Result::NOT_READY;
    if run.iter().all(|reading| reading.place.record() == reading.record) {
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
        let (size, data) = (size_of_val(&values[..]), values.as_mut_ptr().cast());
        let (stride, read) = (size_of::<[u64; 2]>() as u64, device.functions.query_results);
        // SAFETY: the pool lives as long as the device's use, the places of these queries are in it, and the vector holds a result and its
        // availability for each.
        code = unsafe { read(device.handle, queries.pool, *index, run.len() as u32, size, data, stride, flags) };
        if matches!(code, vk::Result::SUCCESS | vk::Result::NOT_READY) {
            for (reading, [ticks, is_available]) in run.iter().zip(&*values) {
                reading.place.content.store(if *is_available != 0 { *ticks } else { unwritten }, Ordering::Relaxed);
            }
        }
    }
    queries.range.store(0, Ordering::Release);
    match code {
        vk::Result::SUCCESS | vk::Result::NOT_READY => Ok(()),
        code => Err(device.error(code)),
    }
}
