//! Graphs: what a capture collected. They hold events, host functions and memory work.

use crate::code::{Code, Result};
use crate::handle::{Handle, of_c, to_c};
use crate::work::Work;
use gevt_core::table::{Recycle, Stored, Table, Word, table};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a node does.
#[derive(Clone)]
pub(crate) enum Step {
    Work(Work),
    /// Records the event.
    Record(Handle),
    /// Waits for the event's last record.
    Wait(Handle),
}

/// One step, and the nodes that it comes after, which all have lower numbers.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) step: Step,
    pub(crate) behind: BTreeSet<usize>,
}

/// A graph.
#[derive(Clone, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
}

/// What the slot of a graph holds: one that can be launched, or not.
#[derive(Default)]
pub(crate) struct GraphSlot<const EXECUTABLE: bool>(Mutex<Option<Arc<Graph>>>);

table! {
    pub(crate) static GRAPHS: GraphSlot<false>, Graph;
    pub(crate) static EXECUTABLE: GraphSlot<true>, ExecutableGraph;
}

impl<const EXECUTABLE: bool> Recycle for GraphSlot<EXECUTABLE> {
    fn recycle(&self, _: Word) {
        *self.0.lock() = None;
    }
}

impl Graph {
    /// Returns whether the ends stand behind every node.
    pub(crate) fn is_reached(nodes: &[Node], ends: Option<&BTreeSet<usize>>) -> bool {
        let mut reached = vec![false; nodes.len()];
        ends.into_iter().flatten().for_each(|end| reached[*end] = true);
        for (number, node) in nodes.iter().enumerate().rev() {
            if !reached[number] {
                return false;
            }
            node.behind.iter().for_each(|earlier| reached[*earlier] = true);
        }
        true
    }
}

/// Gives the graph a handle.
pub(crate) fn insert<const EXECUTABLE: bool>(
    table: &'static Table<GraphSlot<EXECUTABLE>>,
    graph: Arc<Graph>,
) -> Result<Handle>
where
    GraphSlot<EXECUTABLE>: Stored,
{
    Ok(to_c(table.insert(|slot| *slot.0.lock() = Some(graph))?))
}

/// Returns the graph of a handle.
pub(crate) fn get<const EXECUTABLE: bool>(
    table: &'static Table<GraphSlot<EXECUTABLE>>,
    handle: Handle,
) -> Result<Arc<Graph>>
where
    GraphSlot<EXECUTABLE>: Stored,
{
    table.get(of_c(handle))?.0.lock().clone().ok_or(Code::INVALID_HANDLE)
}

/// Makes an executable graph.
pub(crate) fn instantiate(graph: Handle) -> Result<Handle> {
    insert(&EXECUTABLE, get(&GRAPHS, graph)?)
}

pub(crate) fn destroy(graph: Handle) -> Result {
    Ok(GRAPHS.remove(of_c(graph))?)
}

/// Ends an executable graph; what was launched still runs.
pub(crate) fn destroy_executable(graph: Handle) -> Result {
    Ok(EXECUTABLE.remove(of_c(graph))?)
}
