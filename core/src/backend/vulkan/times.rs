//! Places for time stamps: queries of pools that grow as they are needed and are reused.
//!
//! A place for gevt's own records belongs to a queue family and has a command buffer that writes it, recorded once. A place for
//! a command buffer of the program's has none.

use super::device::{HOST_QUERY_RESET, Vulkan};
use super::timeline::Timeline;
use crate::error::{Error, Result};
use ash::vk;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Places in a pool.
const PLACES: u32 = 128;
/// No queue family: a place for the program's command buffers.
pub(super) const PROGRAMS: u32 = u32::MAX;

/// A place for a time stamp. Its memory is not used again.
pub(super) struct TimePlace {
    pool: vk::QueryPool,
    index: u32,
    /// Writes the time stamp; null in a place for the program's command buffers.
    pub(super) command: vk::CommandBuffer,
    /// The family that it was made for, or [`PROGRAMS`].
    kind: u32,
    /// The bits of a time stamp of the queue that writes it.
    bits: AtomicU32,
    /// The time stamp will not be written.
    void: AtomicBool,
    /// What was read last, so that the driver is asked once.
    read: Mutex<Option<Stamp>>,
}

/// A time stamp that was read: the timeline and the value of the mark that it belongs to, and its ticks and their valid bits.
type Stamp = ((*const Timeline, u64), (u64, u32));

// SAFETY: the pointer to the timeline is compared, and nothing else.
unsafe impl Send for TimePlace {}
// SAFETY: as above.
unsafe impl Sync for TimePlace {}

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
    pools: Vec<(vk::QueryPool, vk::CommandPool)>,
}

impl TimePlace {
    /// The place of an address in a mark; none for 0.
    pub(super) fn of(address: u64) -> Option<&'static TimePlace> {
        // SAFETY: marks only have addresses of places, which are never freed.
        unsafe { (address as *const TimePlace).as_ref() }
    }

    pub(super) fn address(&'static self) -> u64 {
        std::ptr::from_ref(self) as u64
    }

    /// Returns whether it serves records of gevt's own on a queue of the family, or the program's command buffers.
    pub(super) fn serves(&self, kind: u32) -> bool {
        self.kind == kind
    }

    /// The time stamp will come from a queue with so many valid bits.
    pub(super) fn expect(&self, bits: u32) {
        self.bits.store(bits, Ordering::Relaxed);
        self.void.store(false, Ordering::Release);
    }

    /// The time stamp will not be written.
    pub(super) fn void(&self) {
        self.void.store(true, Ordering::Release);
    }

    /// Makes the place ready to be written again, where the host can: nothing of the device's uses it.
    pub(super) fn reset(&self, device: &Vulkan) {
        device.reset_queries(self.pool, self.index, 1);
    }

    /// The time stamp of the timeline's value, and how many bits of it are valid.
    pub(super) fn read(&self, device: &Vulkan, timeline: &'static Timeline, value: u64) -> Result<(u64, u32)> {
        let bits = self.bits.load(Ordering::Relaxed);
        if self.void.load(Ordering::Acquire) || bits == 0 {
            return Err(Error::NoTime);
        }
        let mark = (std::ptr::from_ref(timeline), value);
        // Nobody waits here for another thread: the driver answers as well.
        let known = self.read.try_lock().and_then(|known| *known);
        if let Some((_, stamp)) = known.filter(|(of, _)| *of == mark) {
            return Ok(stamp);
        }
        let stamp = self.ask(device, bits)?;
        if let Some(mut known) = self.read.try_lock() {
            *known = Some((mark, stamp));
        }
        Ok(stamp)
    }

    fn ask(&self, device: &Vulkan, bits: u32) -> Result<(u64, u32)> {
        let _call = device.enter()?;
        let mut result = [0u64; 2];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
        let (size, data) = (size_of_val(&result), result.as_mut_ptr().cast());
        let read = device.functions.query_results;
        // SAFETY: the pool lives as long as the device's use, and the array holds a result and its availability.
        match unsafe { read(device.handle, self.pool, self.index, 1, size, data, size as u64, flags) } {
            vk::Result::SUCCESS if result[1] != 0 => Ok((result[0], bits)),
            // The program did not submit the command buffer with the batch.
            vk::Result::SUCCESS | vk::Result::NOT_READY => Err(Error::NoTime),
            code => Err(device.error(code)),
        }
    }

    /// Writes the time stamp into a command buffer.
    ///
    /// # Safety
    /// The command buffer is one of the device's, is being recorded, and is the calling thread's to record; the stage is one
    /// bit, of the 32 if there is no synchronization2.
    pub(super) unsafe fn write(&self, device: &Vulkan, command: vk::CommandBuffer, stage: u64) {
        if !device.has(HOST_QUERY_RESET) || device.functions.host_reset_queries.is_none() {
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

/// The stage of gevt's own time stamps: all that came before is done.
const BOTTOM: vk::PipelineStageFlags = vk::PipelineStageFlags::BOTTOM_OF_PIPE;

/// The difference of two time stamps in units of the device, of which the counters may have wrapped in between.
pub(super) fn difference(start: (u64, u32), end: (u64, u32)) -> i64 {
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
        // Events may still have places for their marks, which nobody reads any more.
        let pools = std::mem::take(&mut self.0.lock().pools);
        for (queries, commands) in pools {
            // SAFETY: made by `grow`, and the caller has seen to it that nothing uses them.
            unsafe {
                (device.functions.destroy_query_pool)(device.handle, queries, std::ptr::null());
                (device.functions.destroy_command_pool)(device.handle, commands, std::ptr::null());
            }
        }
    }
}

impl Places {
    fn pop(&mut self, kind: u32) -> Option<&'static TimePlace> {
        let at = self.free.iter().rposition(|place| place.kind == kind)?;
        Some(self.free.swap_remove(at))
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
        // Whatever list the places are on, it has room for them.
        let all = (self.pools.len() + 1) * PLACES as usize;
        let Places { free, used, busy, pools } = self;
        let reserved = free.try_reserve(all.saturating_sub(free.len()));
        let reserved = reserved.and_then(|()| used.try_reserve(all.saturating_sub(used.len())));
        let reserved = reserved.and_then(|()| busy.try_reserve(all.saturating_sub(busy.len())));
        reserved.and_then(|()| pools.try_reserve(1)).map_err(|_| Error::OutOfMemory)?;
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(PLACES);
        let mut pool = vk::QueryPool::null();
        // SAFETY: the pointers are valid.
        device.check(unsafe { (functions.create_query_pool)(device.handle, &info, std::ptr::null(), &mut pool) })?;
        let mut commands = vk::CommandPool::null();
        let made = if kind == PROGRAMS {
            Ok(vec![vk::CommandBuffer::null(); PLACES as usize])
        } else {
            record(device, kind, pool, &mut commands)
        };
        // Destroying a null pool does nothing.
        self.pools.push((pool, commands));
        device.reset_queries(pool, 0, PLACES as usize);
        for (index, command) in made?.into_iter().enumerate() {
            self.free.push(Box::leak(Box::new(TimePlace {
                pool,
                index: index as u32,
                command,
                kind,
                bits: AtomicU32::new(0),
                void: AtomicBool::new(true),
                read: Mutex::default(),
            })));
        }
        Ok(())
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
    /// Resets queries from the host, where it can: nothing of the device's uses them.
    fn reset_queries(&self, pool: vk::QueryPool, first: u32, count: usize) {
        if let Some(reset) = self.functions.host_reset_queries.filter(|_| self.has(HOST_QUERY_RESET)) {
            // SAFETY: the pool lives as long as the device's use, and the feature is on.
            unsafe { reset(self.handle, pool, first, count as u32) };
        }
    }

    /// Returns whether queues of the family reset queries themselves.
    fn resets_by_command(&self, family: u32) -> bool {
        let able = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
        self.families.get(family as usize).is_some_and(|family| family.queue_flags.intersects(able))
    }

    /// A place for a record on a queue of the family, ready to be written; none where its queues have no time stamps.
    pub(super) fn place_for(&'static self, family: u32) -> Result<Option<&'static TimePlace>> {
        let bits = self.valid_bits(family);
        if bits == 0 || !(self.resets_by_command(family) || self.has(HOST_QUERY_RESET)) {
            return Ok(None);
        }
        let place = self.times.take(self, family)?;
        place.expect(bits);
        Ok(Some(place))
    }

    /// Makes a place of the family ready to be written again.
    pub(super) fn ready(&self, place: &TimePlace, family: u32) {
        place.expect(self.valid_bits(family));
        if !self.resets_by_command(family) {
            place.reset(self);
        }
    }

    /// The valid bits of the family's time stamps.
    pub(super) fn valid_bits(&self, family: u32) -> u32 {
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
