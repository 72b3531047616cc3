//! A device's places for timestamps, in pools that grow as they are needed.
//!
//! A place for gevt's own records belongs to a queue family and has a command buffer that writes it, recorded once. A place for
//! the program's command buffer has none.

use super::native::{NativeDevice, part};
use super::stamp::{self, PROGRAMS, Pool, Ticks, TimePlace};
use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::process::Uncancelled;
use ash::vk;
use std::sync::Arc;

/// Places in a pool of gevt's own records, and in the first one of the program's command buffers.
const PLACES: u32 = 128;
/// How often the number doubles from one pool of the program's to the next, so that a frame's timestamps lie in a few pools.
const DOUBLINGS: u32 = 5;

/// A device's places.
pub(super) struct Times {
    device: Arc<NativeDevice>,
    places: Mutex<Places>,
}

#[derive(Default)]
struct Places {
    /// Reset, where the host can do that.
    free: Vec<&'static TimePlace>,
    /// Given back. The device may still write some of them; the others are reset together.
    used: Vec<&'static TimePlace>,
    /// The pools, and how many places of each, the first ones, were taken before. Places that are taken one after the other lie in the order
    /// in which they are read.
    pools: Vec<(Arc<Pool>, usize)>,
    /// How many places the pools have.
    made: usize,
}

/// The difference of two timestamps in units of the device, whose counters may have wrapped in between.
#[inline]
pub(super) fn difference(start: Ticks, end: Ticks) -> i64 {
    let bits = start.1.min(end.1).clamp(1, 64);
    (end.0.wrapping_sub(start.0) << (64 - bits)) as i64 >> (64 - bits)
}

impl Times {
    pub(super) fn new(device: Arc<NativeDevice>) -> Times {
        Times { device, places: Mutex::default() }
    }

    /// A place for a record on a queue of the family; none where its queues have no timestamps.
    pub(super) fn place_for(&self, family: u32) -> Result<Option<&'static TimePlace>> {
        let device = &self.device;
        if device.valid_bits(family) == 0 || !(device.resets_by_command(family) || device.can_reset()) {
            return Ok(None);
        }
        self.take(family).map(Some)
    }

    /// A place that nothing uses, for gevt's own records on a queue of the family or for the program's command buffers.
    pub(super) fn take(&self, kind: u32) -> Result<&'static TimePlace> {
        let mut places = self.places.lock();
        if let Some(place) = places.pop(kind) {
            return Ok(place);
        }
        places.sweep(&self.device);
        if let Some(place) = places.pop(kind) {
            return Ok(place);
        }
        places.grow(&self.device, kind)?;
        places.pop(kind).ok_or(Error::OutOfMemory)
    }

    /// Takes a place back, which the device may still write for its last record.
    pub(super) fn put(&self, place: &'static TimePlace) {
        self.places.lock().used.push(place);
    }

    /// Destroys the pools, which the device is through with.
    pub(super) fn end(&self) {
        let device = &self.device;
        for (pool, _) in &self.places.lock().pools {
            // SAFETY: made by `grow`, and the caller has seen to it that nothing uses them.
            unsafe {
                (device.functions.destroy_query_pool)(device.handle, pool.handle, std::ptr::null());
                (device.functions.destroy_command_pool)(device.handle, pool.commands, std::ptr::null());
            }
        }
    }
}

impl Places {
    fn pop(&mut self, kind: u32) -> Option<&'static TimePlace> {
        if let Some(at) = self.free.iter().rposition(|place| place.serves(kind)) {
            return Some(self.free.swap_remove(at));
        }
        self.pools.iter_mut().filter(|(pool, _)| pool.kind == kind).find_map(|(pool, taken)| {
            let place = part(pool).places().get(*taken)?;
            *taken += 1;
            Some(place)
        })
    }

    /// Frees the places that the device is through with. Adjacent queries are reset by one call.
    fn sweep(&mut self, device: &NativeDevice) {
        let Places { free, used, .. } = self;
        used.sort_unstable_by_key(|place| place.number());
        let idle = free.len();
        free.extend(used.extract_if(.., |place| place.is_idle()));
        stamp::free(device, &free[idle..]);
    }

    /// Makes a pool.
    fn grow(&mut self, device: &NativeDevice, kind: u32) -> Result<()> {
        let _uncancelled = Uncancelled::new();
        let functions = &device.functions;
        let is_programs = kind == PROGRAMS;
        let before = self.pools.iter().filter(|(pool, _)| is_programs && pool.kind == kind).count() as u32;
        let count = PLACES << before.min(DOUBLINGS);
        // Whatever list the places are on, it has room for them.
        let all = self.made + count as usize;
        let Places { free, used, pools, .. } = self;
        let mut places = Vec::new();
        let reserved = free.try_reserve(all.saturating_sub(free.len()));
        let reserved = reserved.and_then(|()| used.try_reserve(all.saturating_sub(used.len())));
        let reserved = reserved.and_then(|()| pools.try_reserve(1));
        let reserved = reserved.and_then(|()| places.try_reserve_exact(count as usize));
        reserved.map_err(|_| Error::OutOfMemory)?;
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(count);
        let mut handle = vk::QueryPool::null();
        // SAFETY: the pointers are valid.
        device.check(unsafe { (functions.create_query_pool)(device.handle, &info, std::ptr::null(), &mut handle) })?;
        let mut commands = vk::CommandPool::null();
        let made = if is_programs {
            Ok(vec![vk::CommandBuffer::null(); count as usize])
        } else {
            record(device, kind, handle, &mut commands)
        };
        let failed = made.as_ref().err().copied();
        let pool = Arc::new(Pool::new(handle, self.made as u32, kind, commands));
        let place = |(index, command)| TimePlace::new(part(&pool), index as u32, command);
        places.extend(made.into_iter().flatten().enumerate().map(place));
        let _ = pool.places.set(places.into_boxed_slice());
        // Destroying a null pool does nothing.
        self.pools.push((pool, 0));
        self.made += count as usize;
        device.reset_queries(handle, 0, count as usize);
        failed.map_or(Ok(()), Err)
    }
}

/// Records a command buffer for each query of a pool.
fn record(
    device: &NativeDevice,
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
            (functions.write_time)(*buffer, vk::PipelineStageFlags::BOTTOM_OF_PIPE, pool, index as u32);
            device.check((functions.end_command_buffer)(*buffer))?;
        }
    }
    Ok(buffers)
}

#[cfg(test)]
#[path = "times_tests.rs"]
mod tests;
