//! Memory that graphs allocate. It has its address from the moment that its node is made, until the graphs are gone. Whether it
//! is allocated is what the program may do: a launch allocates it, and a free node or the program frees it.

use crate::block::{self, Kind};
use crate::code::{Code, Result};
use crate::context::Context;
use crate::device;
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// A node's memory.
pub(crate) struct GraphMemory {
    pub(crate) start: usize,
    pub(crate) len: usize,
    pub(crate) device: i32,
}

/// How memory stands.
struct State {
    len: u64,
    device: i32,
    /// Whether a launch has allocated it, and nothing has freed it since.
    used: bool,
    /// Whether a launch has allocated it, and nothing has trimmed it since. A driver counts it as in use until then.
    held: bool,
}

/// What graphs had of a device's memory.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// Bytes that were not trimmed since graphs had them.
    reserved: u64,
    /// The most bytes that were in use and reserved so far.
    most: [u64; 2],
}

#[derive(Default)]
struct Memory {
    /// By address.
    states: BTreeMap<usize, State>,
    /// By device.
    counts: BTreeMap<i32, Counts>,
}

static MEMORY: Mutex<Memory> = Mutex::new(Memory { states: BTreeMap::new(), counts: BTreeMap::new() });

/// Graphs take memory in steps of this many bytes.
const STEP: u64 = 32 << 20;

impl Memory {
    /// Bytes that are in use and reserved on a device.
    fn now(&self, device: i32) -> [u64; 2] {
        let held = self.states.values().filter(|state| state.device == device && state.held);
        let used = held.map(|state| state.len).sum::<u64>().next_multiple_of(STEP);
        [used, self.counts(device).reserved.max(used)]
    }

    fn counts(&self, device: i32) -> Counts {
        self.counts.get(&device).copied().unwrap_or_default()
    }
}

impl GraphMemory {
    /// Makes memory.
    pub(crate) fn new(context: &'static Context, len: usize) -> Result<GraphMemory> {
        let (start, device) = (block::allocate(context, len, Kind::Graph, 0)?, context.device);
        let state = State { len: len as u64, device, used: false, held: false };
        MEMORY.lock().states.insert(start, state);
        Ok(GraphMemory { start, len, device })
    }

    /// Returns whether it is allocated.
    pub(crate) fn is_used(&self) -> bool {
        MEMORY.lock().states.get(&self.start).is_some_and(|state| state.used)
    }

    /// Notes that a launch allocates it.
    pub(crate) fn allocate(&self) {
        let mut memory = MEMORY.lock();
        if let Some(state) = memory.states.get_mut(&self.start) {
            (state.used, state.held) = (true, true);
        }
        let [used, reserved] = memory.now(self.device);
        let counts = memory.counts.entry(self.device).or_default();
        counts.reserved = reserved;
        counts.most = [counts.most[0].max(used), counts.most[1].max(reserved)];
    }
}

impl Drop for GraphMemory {
    fn drop(&mut self) {
        if let Some(block) = block::take(self.start, &[Kind::Graph]) {
            MEMORY.lock().states.remove(&self.start);
            // SAFETY: `take` took it off the list for this call.
            unsafe { block.free_behind_all() };
        }
    }
}

/// Notes that memory is freed; returns whether the address is a graph's memory.
pub(crate) fn free_graph_memory(start: usize) -> bool {
    MEMORY.lock().states.get_mut(&start).map(|state| state.used = false).is_some()
}

/// Gives back what is reserved and not in use.
pub(crate) fn trim(device: i32) {
    let mut memory = MEMORY.lock();
    memory.states.values_mut().filter(|state| state.device == device).for_each(|state| state.held &= state.used);
    memory.counts.entry(device).or_default().reserved = 0;
}

/// Returns what graphs use of a device's memory, by CUDA's number: now, at most, reserved now, and at most.
pub(crate) fn attribute(device: i32, number: u32) -> Result<u64> {
    let memory = MEMORY.lock();
    let (now, most) = (memory.now(device::check(device)?), memory.counts(device).most);
    [now[0], most[0], now[1], most[1]].get(number as usize).copied().ok_or(Code::INVALID_VALUE)
}

/// Sets one of the greatest values so far to 0, which is the present one.
pub(crate) fn set_attribute(device: i32, number: u32, value: u64) -> Result {
    if !matches!(number, 1 | 3) || value != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let mut memory = MEMORY.lock();
    let now = memory.now(device::check(device)?);
    let at = usize::from(number == 3);
    memory.counts.entry(device).or_default().most[at] = now[at];
    Ok(())
}
