//! Memory that graphs allocate. Its address is fixed from the creation of its node until the graphs are destroyed. Allocation only controls
//! access: a launch allocates the memory, and a free node or the program frees it.

use crate::block::{self, Kind};
use crate::code::Result;
use crate::context::Context;
use gevt_core::lock::Mutex;
use std::collections::BTreeMap;

/// The memory of a node.
pub(crate) struct GraphMemory {
    pub(crate) start: usize,
}

/// The memory of all nodes, by address: whether a launch has allocated it and nothing has freed it since.
static USED: Mutex<BTreeMap<usize, bool>> = Mutex::new(BTreeMap::new());

impl GraphMemory {
    pub(crate) fn new(context: &'static Context, len: usize) -> Result<GraphMemory> {
        let start = block::allocate(context, len, Kind::Graph, 0)?;
        USED.lock().insert(start, false);
        Ok(GraphMemory { start })
    }

    /// Returns whether it is allocated.
    pub(crate) fn is_used(&self) -> bool {
        USED.lock().get(&self.start).copied().unwrap_or(false)
    }

    /// Marks the memory as allocated by a launch.
    pub(crate) fn allocate(&self) {
        USED.lock().insert(self.start, true);
    }
}

impl Drop for GraphMemory {
    fn drop(&mut self) {
        if let Some(block) = block::take(self.start, &[Kind::Graph]) {
            USED.lock().remove(&self.start);
            // SAFETY: `take` removed it from the list for this call.
            unsafe { block.free_behind_all() };
        }
    }
}

/// Marks memory as freed. Returns whether the address is graph memory.
pub(crate) fn free_graph_memory(start: usize) -> bool {
    USED.lock().get_mut(&start).map(|used| *used = false).is_some()
}
