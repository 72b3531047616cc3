//! Addresses that programs reserve, and the memory that they map there.
//!
//! All of a reservation can be touched, so that work that comes too late finds memory; what a program may touch is on the list of blocks.

use crate::backing::{Backing, GRANULARITY};
use crate::block::{self, Kind};
use crate::code::{Code, Result};
use crate::context::{self, Context};
use crate::pool::Location;
use crate::primary;
use gevt_core::host_events::block_until_done;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Mapped memory, and what places may do with it, as CUDA numbers that.
struct Mapping {
    backing: Arc<Backing>,
    access: BTreeMap<Location, i32>,
}

/// Reserved addresses, and the mappings in them.
struct Reservation {
    len: usize,
    mappings: BTreeMap<usize, Mapping>,
}

/// Ranges that were given back, and their lengths. They stay plain memory, as work of any context may still come to them.
static FREED: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());
static RESERVED: Mutex<BTreeMap<usize, Reservation>> = Mutex::new(BTreeMap::new());

impl Mapping {
    fn range(&self, start: usize) -> Range<usize> {
        start..start + self.backing.len
    }
}

/// Maps memory of no file's: where there is room, or in the place of what is there.
fn map_plain(at: usize, len: usize, flags: i32) -> Result<usize> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = flags | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: new memory, or memory in a reservation, which is this module's.
    let start = unsafe { libc::mmap(at as *mut libc::c_void, len, access, flags, -1, 0) };
    if start == libc::MAP_FAILED { Err(Code::OUT_OF_MEMORY) } else { Ok(start as usize) }
}

fn unmap_plain(range: Range<usize>) {
    if !range.is_empty() {
        // SAFETY: memory that `map_plain` mapped, and nobody uses.
        unsafe { libc::munmap(range.start as *mut libc::c_void, range.len()) };
    }
}

/// Takes addresses of a range that was given back, and empties them.
fn reuse(len: usize, alignment: usize, wish: usize) -> Option<usize> {
    let mut freed = FREED.lock();
    let (range, start) = freed.iter().find_map(|(from, of)| {
        let range = *from..from + of;
        let start = if range.contains(&wish) { wish } else { from.checked_next_multiple_of(alignment)? };
        let fits = start.checked_add(len)? <= range.end && start.is_multiple_of(alignment);
        (fits && (wish == 0 || wish == start)).then_some((range, start))
    })?;
    map_plain(start, len, libc::MAP_FIXED).ok()?;
    freed.remove(&range.start);
    for rest in [range.start..start, start + len..range.end].into_iter().filter(|rest| !rest.is_empty()) {
        freed.insert(rest.start, rest.len());
    }
    Some(start)
}

/// Reserves addresses, if possible at the one that is wished for.
pub(crate) fn reserve(len: usize, alignment: usize, wish: usize) -> Result<usize> {
    if len == 0 || !len.is_multiple_of(GRANULARITY) || alignment != 0 && !alignment.is_power_of_two() {
        return Err(Code::INVALID_VALUE);
    }
    let alignment = alignment.max(GRANULARITY);
    let mut start = reuse(len, alignment, wish).map_or_else(|| map_plain(wish, len, 0), Ok)?;
    if !start.is_multiple_of(alignment) {
        unmap_plain(start..start + len);
        let room = len.checked_add(alignment).ok_or(Code::OUT_OF_MEMORY)?;
        let all = map_plain(0, room, 0)?;
        start = all.next_multiple_of(alignment);
        unmap_plain(all..start);
        unmap_plain(start + len..all + room);
    }
    RESERVED.lock().insert(start, Reservation { len, mappings: BTreeMap::new() });
    Ok(start)
}

/// Gives a reservation back, in which nothing may be mapped.
pub(crate) fn free(start: usize, len: usize) -> Result {
    let mut reserved = RESERVED.lock();
    let is_it = reserved.get(&start).is_some_and(|of| of.len == len && of.mappings.is_empty());
    if !is_it {
        return Err(Code::INVALID_VALUE);
    }
    reserved.remove(&start);
    FREED.lock().insert(start, len);
    Ok(())
}

/// Runs the body on the reservation that holds all of the addresses.
fn within<T>(start: usize, len: usize, body: impl FnOnce(&mut Reservation) -> Result<T>) -> Result<T> {
    let end = start.checked_add(len).filter(|_| len > 0).ok_or(Code::INVALID_VALUE)?;
    let mut reserved = RESERVED.lock();
    let (first, found) = reserved.range_mut(..=start).next_back().ok_or(Code::INVALID_VALUE)?;
    if end > first + found.len { Err(Code::INVALID_VALUE) } else { body(found) }
}

/// Maps memory to reserved addresses, all of it.
pub(crate) fn map(start: usize, len: usize, offset: usize, backing: Arc<Backing>) -> Result {
    if offset != 0 || len != backing.len {
        return Err(Code::NOT_SUPPORTED);
    }
    within(start, len, |of| {
        let is_taken =
            of.mappings.range(..start + len).next_back().is_some_and(|(at, known)| known.range(*at).end > start);
        if is_taken || !start.is_multiple_of(GRANULARITY) {
            return Err(Code::INVALID_VALUE);
        }
        backing.map_at(start)?;
        of.mappings.insert(start, Mapping { backing, access: BTreeMap::new() });
        Ok(())
    })
}

/// Returns the starts of the mappings in a range, none of which may lie across its ends.
fn inside(of: &Reservation, range: Range<usize>) -> Result<Vec<usize>> {
    let mut starts = Vec::new();
    for (start, mapping) in of.mappings.range(..range.end) {
        let own = mapping.range(*start);
        if own.end <= range.start {
            continue;
        }
        if own.start < range.start || own.end > range.end {
            return Err(Code::INVALID_VALUE);
        }
        starts.push(*start);
    }
    Ok(starts)
}

/// Takes the mappings in a range away, after all work of their contexts and of the current one.
pub(crate) fn unmap(start: usize, len: usize) -> Result {
    let starts = within(start, len, |of| inside(of, start..start + len))?;
    let own = starts.into_iter().filter_map(block::find).map(|block| block.context);
    let mut contexts: Vec<_> = own.chain(context::current()).collect();
    contexts.dedup_by_key(|context| std::ptr::from_ref(*context));
    contexts.iter().try_for_each(|context| block_until_done(context.core))?;
    within(start, len, |of| {
        for at in inside(of, start..start + len)? {
            if let Some(mapping) = of.mappings.get(&at) {
                map_plain(at, mapping.backing.len, libc::MAP_FIXED)?;
            }
            of.mappings.remove(&at);
            let _ = block::take(at, &[Kind::Mapped]);
        }
        Ok(())
    })?;
    Ok(contexts.iter().map(|context| context.core.sync()).fold(Ok(()), std::result::Result::and)?)
}

/// Returns the current context if it is the device's, or else the device's primary one.
fn context_of(device: i32) -> Result<&'static Context> {
    let current = context::current().ok().filter(|context| context.device == device);
    current.map_or_else(|| primary::borrow(device), Ok)
}

/// Says what places may do with the memory in a range, all of which has to be mapped. If that is refused, nothing changes.
pub(crate) fn set_access(start: usize, len: usize, accesses: &[(Location, i32)]) -> Result {
    for (from, flags) in accesses {
        from.device()?;
        if !matches!(flags, 0 | 1 | 3) {
            return Err(Code::INVALID_VALUE);
        }
    }
    within(start, len, |of| {
        let starts = inside(of, start..start + len)?;
        let mapped: usize = starts.iter().filter_map(|at| of.mappings.get(at)).map(|mapping| mapping.backing.len).sum();
        if mapped != len {
            return Err(Code::INVALID_VALUE);
        }
        let found = starts.iter().filter_map(|at| of.mappings.get(at));
        let contexts: Vec<_> =
            found.map(|mapping| context_of(mapping.backing.props.device()?)).collect::<Result<_>>()?;
        for (at, context) in starts.into_iter().zip(contexts) {
            let Some(mapping) = of.mappings.get_mut(&at) else { continue };
            mapping.access.extend(accesses.iter().copied());
            let is_listed = block::find(at).is_some_and(|block| block.kind == Kind::Mapped);
            match mapping.access.values().any(|flags| *flags != 0) {
                true if is_listed => {}
                true => block::list(context, at, mapping.backing.len, Kind::Mapped),
                false => _ = block::take(at, &[Kind::Mapped]),
            }
        }
        Ok(())
    })
}

/// Runs the body on what is mapped at an address.
fn at<T>(address: usize, body: impl FnOnce(&Mapping) -> T) -> Result<T> {
    within(address, 1, |of| {
        let found = of.mappings.range(..=address).next_back();
        let found = found.filter(|(start, mapping)| mapping.range(**start).contains(&address));
        found.map(|(_, mapping)| body(mapping)).ok_or(Code::INVALID_VALUE)
    })
}

/// Returns what a place may do with the memory at an address.
pub(crate) fn access(address: usize, from: Location) -> Result<i32> {
    from.device()?;
    at(address, |mapping| mapping.access.get(&from).copied().unwrap_or(0))
}

/// Returns the memory that is mapped at an address.
pub(crate) fn backing_at(address: usize) -> Result<Arc<Backing>> {
    at(address, |mapping| Arc::clone(&mapping.backing))
}
