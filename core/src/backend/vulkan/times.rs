//! Places for timestamps: queries of pools that grow as they are needed and are reused.
//!
//! A place for gevt's own records belongs to a queue family and has a command buffer that writes it, recorded once. A place for
//! the program's command buffer has none.
//!
//! A query is never read or reset by the host while a queue may be writing it, which drivers need not survive. A place knows the record
//! that writes its query next; only a thread that has seen that record reached reads it, under the lock that the next record takes first.

use super::device::{HOST_QUERY_RESET, Vulkan};
use super::timeline::Timeline;
use crate::error::{Error, Result};
use crate::lock::{Mutex, MutexGuard};
use ash::vk;

/// Places in a pool of gevt's own records, and in the first one of the program's command buffers.
const PLACES: u32 = 128;
/// How often the number doubles from one pool of the program's to the next, so that a frame's timestamps lie in a few pools.
const DOUBLINGS: u32 = 5;
/// No queue family: a place for the program's command buffers.
pub(super) const PROGRAMS: u32 = u32::MAX;

/// A timestamp's ticks, and how many bits of them are valid.
pub(super) type Ticks = (u64, u32);

/// A place for a timestamp.
pub(super) struct TimePlace {
    pool: vk::QueryPool,
    index: u32,
    /// Its number among the device's places: those of one pool are in the order of their queries.
    pub(super) number: usize,
    /// Writes the timestamp; null in a place for the program's command buffers.
    pub(super) command: vk::CommandBuffer,
    /// The family that it was made for, or [`PROGRAMS`].
    kind: u32,
    stamp: Mutex<Stamp>,
}

/// What is known of a place's query.
struct Stamp {
    /// The record that writes the query, or has written it; none since the place was taken.
    record: Option<(&'static Timeline, u64)>,
    /// The valid bits; 0 where the record has no timestamp.
    bits: u32,
    /// The query's value if the host knows it; [`NOTHING`] once it was reset.
    content: Option<u64>,
    /// Its value before the record.
    stale: u64,
}

/// The value that drivers leave in a query that was not written.
const NOTHING: u64 = 0;

impl Stamp {
    /// Returns whether no queue writes the query any more.
    fn is_idle(&self) -> bool {
        self.record.is_none_or(|(timeline, value)| timeline.reached(value) == Ok(true))
    }
}

/// A device's places.
#[derive(Default)]
pub(super) struct Times(Mutex<Places>);

#[derive(Default)]
struct Places {
    /// Reset, where the host can do that.
    free: Vec<&'static TimePlace>,
    /// As those that are free, but not reset yet: many are reset by one call.
    used: Vec<&'static TimePlace>,
    /// Places that the device may still write, with the value that it will then have reached.
    busy: Vec<(&'static TimePlace, &'static Timeline, u64)>,
    pools: Vec<Pool>,
    /// How many of the pools are the program's.
    programs_pools: u32,
    /// How many places the pools have.
    made: usize,
}

/// A pool of queries, all of one kind, with their places.
struct Pool {
    queries: vk::QueryPool,
    commands: vk::CommandPool,
    kind: u32,
    /// Freed with the device, as are the lists of these: events have the places' addresses.
    places: Vec<TimePlace>,
    /// How many places, the first ones, were taken before.
    taken: usize,
}

impl Pool {
    /// Takes the next place that was never taken. Places that are taken one after the other lie in the order in which they are read.
    fn pop(&mut self) -> Option<&'static TimePlace> {
        let place = std::ptr::from_ref(self.places.get(self.taken)?);
        self.taken += 1;
        // SAFETY: the places stay where they are until the device is freed, which the caller and its events have in use.
        Some(unsafe { &*place })
    }
}

/// A stamp whose query no queue writes while this lives, and whose value is not known.
pub(super) struct UnreadStamp<'a>(MutexGuard<'a, Stamp>);

impl UnreadStamp<'_> {
    /// The query has that value.
    pub(super) fn set(mut self, ticks: u64) {
        self.0.content = Some(ticks);
    }
}

impl TimePlace {
    /// The place of an address in a mark; none for 0.
    pub(super) fn of(address: u64) -> Option<&'static TimePlace> {
        // SAFETY: marks only have addresses of places, which stay as long as their device, and the caller has an event of it in use.
        unsafe { (address as *const TimePlace).as_ref() }
    }

    pub(super) fn address(&'static self) -> u64 {
        std::ptr::from_ref(self) as u64
    }

    /// Returns whether it serves records of gevt's own on a queue of the family, or the program's command buffers.
    pub(super) fn serves(&self, kind: u32) -> bool {
        self.kind == kind
    }

    /// Reads what the query holds where the host cannot reset it, for [`TimePlace::expect`]. No lock is held, as drivers may wait for the
    /// device there, such as lavapipe.
    pub(super) fn prepare(&self, device: &Vulkan) {
        if device.can_reset() {
            return;
        }
        let mut stamp = self.stamp.lock();
        if stamp.content.is_none() && stamp.is_idle() {
            stamp.content = match self.ask(device) {
                Err(Error::NoTime) => Some(NOTHING),
                content => content.ok(),
            };
        }
    }

    /// The timeline's value is the next record that writes the query, on a queue of the family. It has no timestamp if the last such record
    /// may still be writing.
    pub(super) fn expect(&self, device: &Vulkan, family: u32, timeline: &'static Timeline, value: u64) {
        let mut stamp = self.stamp.lock();
        let is_idle = stamp.is_idle();
        if is_idle && stamp.content != Some(NOTHING) {
            let resets_itself = self.kind != PROGRAMS && device.resets_by_command(family);
            if resets_itself || device.reset_queries(self.pool, self.index, 1) {
                stamp.content = Some(NOTHING);
            }
        }
        let before = stamp.content.take().filter(|_| is_idle);
        stamp.record = Some((timeline, value));
        stamp.bits = before.map_or(0, |_| device.valid_bits(family));
        stamp.stale = before.unwrap_or(NOTHING);
    }

    /// The timestamp will not be written, and no queue uses the query.
    pub(super) fn void(&self) {
        self.stamp.lock().record = None;
    }

    /// The place is free, and its query was reset if the host can do that.
    fn free(&self, is_reset: bool) {
        let mut stamp = self.stamp.lock();
        stamp.record = None;
        if is_reset {
            stamp.content = Some(NOTHING);
        }
    }

    /// The timestamp of the timeline's value, which is reached; `None` where the place has a later record.
    pub(super) fn read(&self, device: &Vulkan, timeline: &'static Timeline, value: u64) -> Result<Option<Ticks>> {
        let mut stamp = self.stamp.lock();
        let (line, next) = stamp.record.ok_or(Error::NoTime)?;
        if !std::ptr::eq(line, timeline) || next != value {
            return Ok(None);
        }
        if stamp.bits == 0 {
            return Err(Error::NoTime);
        }
        let ticks = stamp.content.map_or_else(|| self.ask(device), Ok)?;
        stamp.content = Some(ticks);
        // Otherwise the program did not submit the command buffer with the batch.
        if ticks != stamp.stale { Ok(Some((ticks, stamp.bits))) } else { Err(Error::NoTime) }
    }

    /// Returns where the query is.
    pub(super) fn query(&self) -> (vk::QueryPool, u32) {
        (self.pool, self.index)
    }

    /// Locks the stamp of the timeline's value, which is reached, if its query has to be read for it.
    pub(super) fn unread(&self, timeline: &'static Timeline, value: u64) -> Option<UnreadStamp<'_>> {
        let stamp = self.stamp.lock();
        let is_its = stamp.record.is_some_and(|(line, next)| std::ptr::eq(line, timeline) && next == value);
        (is_its && stamp.bits != 0 && stamp.content.is_none()).then_some(UnreadStamp(stamp))
    }

    /// Asks the driver for the query's value. No queue is writing it.
    fn ask(&self, device: &Vulkan) -> Result<u64> {
        let _call = device.enter()?;
        let mut result = [0u64; 2];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
        let (size, data) = (size_of_val(&result), result.as_mut_ptr().cast());
        let read = device.functions.query_results;
        // SAFETY: the pool lives as long as the device's use, and the array holds a result and its availability.
        match unsafe { read(device.handle, self.pool, self.index, 1, size, data, size as u64, flags) } {
            vk::Result::SUCCESS if result[1] != 0 => Ok(result[0]),
            // Not written since its reset.
            vk::Result::SUCCESS | vk::Result::NOT_READY => Err(Error::NoTime),
            code => Err(device.error(code)),
        }
    }

    /// Writes the timestamp into a command buffer.
    ///
    /// # Safety
    /// The command buffer is one of the device's, is being recorded, and is the calling thread's to record; the stage is one
    /// bit, of the 32 if there is no synchronization2.
    pub(super) unsafe fn write(&self, device: &Vulkan, command: vk::CommandBuffer, stage: u64) {
        if !device.can_reset() {
            // SAFETY: by this function's requirement.
            unsafe { (device.functions.reset_queries)(command, self.pool, self.index, 1) };
        }
        let legacy = u32::try_from(stage).ok().filter(|stage| *stage != 0);
        match (legacy, device.functions.write_time2) {
            (None, Some(write)) => {
                let stage = vk::PipelineStageFlags2::from_raw(stage);
                // SAFETY: as above.
                unsafe { write(command, stage, self.pool, self.index) };
            }
            (stage, _) => {
                let stage = vk::PipelineStageFlags::from_raw(stage.unwrap_or(BOTTOM.as_raw()));
                // SAFETY: as above.
                unsafe { (device.functions.write_time)(command, stage, self.pool, self.index) };
            }
        }
    }
}

/// The stage of gevt's own timestamps: all work before them has finished.
const BOTTOM: vk::PipelineStageFlags = vk::PipelineStageFlags::BOTTOM_OF_PIPE;

/// The difference of two timestamps in units of the device, whose counters may have wrapped in between.
pub(super) fn difference(start: Ticks, end: Ticks) -> i64 {
    let bits = start.1.min(end.1).clamp(1, 64);
    (end.0.wrapping_sub(start.0) << (64 - bits)) as i64 >> (64 - bits)
}

impl Times {
    /// A place that nothing uses, for gevt's own records on a queue of the family or for the program's command buffers.
    pub(super) fn take(&self, device: &'static Vulkan, kind: u32) -> Result<&'static TimePlace> {
        let mut places = self.0.lock();
        if let Some(place) = places.pop(kind) {
            return Ok(place);
        }
        places.sweep(device);
        if let Some(place) = places.pop(kind) {
            return Ok(place);
        }
        places.grow(device, kind)?;
        places.pop(kind).ok_or(Error::OutOfMemory)
    }

    /// Takes a place back that the device is through with.
    pub(super) fn put(&self, place: &'static TimePlace) {
        self.0.lock().used.push(place);
    }

    /// Takes a place back that the device may still write until the timeline has come to the value.
    pub(super) fn put_later(&self, place: &'static TimePlace, timeline: &'static Timeline, value: u64) {
        let mut places = self.0.lock();
        if timeline.is_known(value) {
            places.used.push(place);
        } else {
            places.busy.push((place, timeline, value));
        }
    }

    /// Destroys the pools, which the device is through with.
    pub(super) fn end(&self, device: &Vulkan) {
        for Pool { queries, commands, .. } in &self.0.lock().pools {
            // SAFETY: made by `grow`, and the caller has seen to it that nothing uses them.
            unsafe {
                (device.functions.destroy_query_pool)(device.handle, *queries, std::ptr::null());
                (device.functions.destroy_command_pool)(device.handle, *commands, std::ptr::null());
            }
        }
    }
}

impl Places {
    fn pop(&mut self, kind: u32) -> Option<&'static TimePlace> {
        match self.free.iter().rposition(|place| place.kind == kind) {
            Some(at) => Some(self.free.swap_remove(at)),
            None => self.pools.iter_mut().filter(|pool| pool.kind == kind).find_map(Pool::pop),
        }
    }

    /// Frees the places that the device is through with, those among them that it has written meanwhile.
    fn sweep(&mut self, device: &Vulkan) {
        let Places { free, used, busy, .. } = self;
        busy.retain(|(place, timeline, value)| {
            let done = timeline.reached(*value).unwrap_or(false);
            if done {
                used.push(place);
            }
            !done
        });
        // First, so that no thread reads a query that is being reset.
        used.iter().for_each(|place| place.free(device.can_reset()));
        used.sort_unstable_by_key(|place| (place.pool, place.index));
        let follows = |one: &&TimePlace, next: &&TimePlace| one.pool == next.pool && one.index + 1 == next.index;
        for run in used.chunk_by(follows) {
            if let [first, ..] = run {
                device.reset_queries(first.pool, first.index, run.len());
            }
        }
        free.append(used);
    }

    /// Makes a pool.
    fn grow(&mut self, device: &'static Vulkan, kind: u32) -> Result<()> {
        let functions = &device.functions;
        let is_programs = kind == PROGRAMS;
        let count = if is_programs { PLACES << self.programs_pools.min(DOUBLINGS) } else { PLACES };
        // Whatever list the places are on, it has room for them.
        let all = self.made + count as usize;
        let Places { free, used, busy, pools, .. } = self;
        let mut places = Vec::new();
        let reserved = free.try_reserve(all.saturating_sub(free.len()));
        let reserved = reserved.and_then(|()| used.try_reserve(all.saturating_sub(used.len())));
        let reserved = reserved.and_then(|()| busy.try_reserve(all.saturating_sub(busy.len())));
        let reserved = reserved.and_then(|()| pools.try_reserve(1));
        let reserved = reserved.and_then(|()| places.try_reserve_exact(count as usize));
        reserved.map_err(|_| Error::OutOfMemory)?;
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(count);
        let mut pool = vk::QueryPool::null();
        // SAFETY: the pointers are valid.
        device.check(unsafe { (functions.create_query_pool)(device.handle, &info, std::ptr::null(), &mut pool) })?;
        let mut commands = vk::CommandPool::null();
        let made = if is_programs {
            Ok(vec![vk::CommandBuffer::null(); count as usize])
        } else {
            record(device, kind, pool, &mut commands)
        };
        let failed = made.as_ref().err().copied();
        let stamp = || Mutex::new(Stamp { record: None, bits: 0, content: Some(NOTHING), stale: NOTHING });
        let number = |index| self.made + index;
        let place = |(index, command)| TimePlace {
            pool,
            index: index as u32,
            number: number(index),
            command,
            kind,
            stamp: stamp(),
        };
        places.extend(made.into_iter().flatten().enumerate().map(place));
        // Destroying a null pool does nothing.
        self.pools.push(Pool { queries: pool, commands, kind, places, taken: 0 });
        self.programs_pools += u32::from(is_programs);
        self.made += count as usize;
        device.reset_queries(pool, 0, count as usize);
        failed.map_or(Ok(()), Err)
    }
}

/// Records a command buffer for each query of a pool.
fn record(
    device: &'static Vulkan,
    family: u32,
    pool: vk::QueryPool,
    commands: &mut vk::CommandPool,
) -> Result<Vec<vk::CommandBuffer>> {
    let functions = &device.functions;
    let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
    // SAFETY: the pointers are valid, and the family is one of the device's.
    device.check(unsafe { (functions.create_command_pool)(device.handle, &info, std::ptr::null(), commands) })?;
    let mut buffers = vec![vk::CommandBuffer::null(); PLACES as usize];
    let info = vk::CommandBufferAllocateInfo::default().command_pool(*commands).command_buffer_count(PLACES);
    // SAFETY: the pointers are valid, and the vector is as long as the count.
    device.check(unsafe { (functions.allocate_command_buffers)(device.handle, &info, buffers.as_mut_ptr()) })?;
    let begin = vk::CommandBufferBeginInfo::default();
    let resets = device.resets_by_command(family);
    for (index, buffer) in buffers.iter().enumerate() {
        // SAFETY: the command buffer is this function's own, and so are the queries.
        unsafe {
            device.check((functions.begin_command_buffer)(*buffer, &begin))?;
            if resets {
                (functions.reset_queries)(*buffer, pool, index as u32, 1);
            }
            (functions.write_time)(*buffer, BOTTOM, pool, index as u32);
            device.check((functions.end_command_buffer)(*buffer))?;
        }
    }
    Ok(buffers)
}

impl Vulkan {
    /// Returns whether the host can reset queries.
    fn can_reset(&self) -> bool {
        self.has(HOST_QUERY_RESET) && self.functions.host_reset_queries.is_some()
    }

    /// Resets queries from the host, unless it cannot: nothing of the device's uses them.
    fn reset_queries(&self, pool: vk::QueryPool, first: u32, count: usize) -> bool {
        if let Some(reset) = self.functions.host_reset_queries.filter(|_| self.can_reset()) {
            // SAFETY: the pool lives as long as the device's use, and the feature is on.
            unsafe { reset(self.handle, pool, first, count as u32) };
        }
        self.can_reset()
    }

    /// Returns whether queues of the family reset queries themselves.
    fn resets_by_command(&self, family: u32) -> bool {
        let able = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
        self.families.get(family as usize).is_some_and(|family| family.queue_flags.intersects(able))
    }

    /// A place for a record on a queue of the family; none where its queues have no timestamps.
    pub(super) fn place_for(&'static self, family: u32) -> Result<Option<&'static TimePlace>> {
        if self.valid_bits(family) == 0 || !(self.resets_by_command(family) || self.can_reset()) {
            return Ok(None);
        }
        self.times.take(self, family).map(Some)
    }

    /// The valid bits of the family's timestamps.
    fn valid_bits(&self, family: u32) -> u32 {
        self.families.get(family as usize).map_or(0, |family| family.timestamp_valid_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn counters_wrap() {
        assert_eq!(difference((10, 64), (25, 64)), 15);
        assert_eq!(difference((25, 64), (10, 64)), -15);
        assert_eq!(difference((u64::MAX - 4, 64), (5, 64)), 10);
        assert_eq!(difference((0xFFFF_FFF0, 32), (0x10, 32)), 0x20);
        assert_eq!(difference((0x10, 32), (0xFFFF_FFF0, 32)), -0x20);
        // A queue whose counter has more bits.
        assert_eq!(difference((0x7_FFFF_FFF0, 64), (0x10, 32)), 0x20);
    }
}
