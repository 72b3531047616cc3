//! Memory that graphs allocate. Its address is fixed from the creation of its node until the graphs are destroyed. Allocation only controls
//! access: a launch allocates the memory, and a free node or the program frees it.

use crate::block::{self, Kind};
use crate::code::{Code, Result};
use crate::context::Context;
use crate::device;
use gevt_core::lock::Mutex;
use std::collections::BTreeMap;

/// The memory of a node.
pub(crate) struct GraphMemory {
    pub(crate) start: usize,
    pub(crate) len: usize,
    pub(crate) device: i32,
}

struct State {
    len: u64,
    device: i32,
    /// Whether a launch has allocated it and nothing has freed it since.
    used: bool,
    /// Whether a launch has allocated it and nothing has trimmed it since. A driver counts it as in use until then.
    held: bool,
}

/// Graph memory of a device.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// Bytes that were allocated and not trimmed since.
    reserved: u64,
    /// The high-water marks of bytes in use and reserved.
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

/// Graphs allocate memory in steps of this many bytes.
const STEP: u64 = 32 << 20;

impl Memory {
    /// The bytes in use and reserved on a device.
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

    /// Marks the memory as allocated by a launch.
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
            // SAFETY: `take` removed it from the list for this call.
            unsafe { block.free_behind_all() };
        }
    }
}

/// Marks memory as freed. Returns whether the address is graph memory.
pub(crate) fn free_graph_memory(start: usize) -> bool {
    MEMORY.lock().states.get_mut(&start).map(|state| state.used = false).is_some()
}

/// Releases reserved memory that is not in use.
pub(crate) fn trim(device: i32) {
    let mut memory = MEMORY.lock();
    memory.states.values_mut().filter(|state| state.device == device).for_each(|state| state.held &= state.used);
    memory.counts.entry(device).or_default().reserved = 0;
}

/// Returns the graph memory of a device, by CUDA's number: in use, its maximum, reserved, and its maximum.
pub(crate) fn attribute(device: i32, number: u32) -> Result<u64> {
    let memory = MEMORY.lock();
    let (now, most) = (memory.now(device::check(device)?), memory.counts(device).most);
    [now[0], most[0], now[1], most[1]].get(number as usize).copied().ok_or(Code::INVALID_VALUE)
}

/// Resets a high-water mark to the current value. Only 0 is accepted.
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
