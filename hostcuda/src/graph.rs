//! Graphs: what a capture collected. They hold events, host functions and memory work.

use crate::code::{Code, Result};
use crate::table::{Handle, Table};
use crate::work::Work;
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

/// The graphs of one kind, by handle.
pub(crate) struct Graphs(Table<Mutex<Option<Arc<Graph>>>>);

pub(crate) static GRAPHS: Graphs = Graphs(Table::new(0xC4));
pub(crate) static EXECUTABLE: Graphs = Graphs(Table::new(0xC5));

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

impl Graphs {
    pub(crate) fn insert(&'static self, graph: Arc<Graph>) -> Result<Handle> {
        self.0.insert(|place| *place.lock() = Some(graph)).ok_or(Code::OUT_OF_MEMORY)
    }

    pub(crate) fn get(&'static self, handle: Handle) -> Result<Arc<Graph>> {
        self.0.get(handle).and_then(|place| place.lock().clone()).ok_or(Code::INVALID_HANDLE)
    }

    pub(crate) fn remove(&'static self, handle: Handle) -> Result {
        self.0.remove(handle, |place| *place.lock() = None).ok_or(Code::INVALID_HANDLE)
    }
}

/// Makes an executable graph.
pub(crate) fn instantiate(graph: Handle) -> Result<Handle> {
    EXECUTABLE.insert(GRAPHS.get(graph)?)
}
