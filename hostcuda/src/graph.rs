//! Graphs: what a capture collected. They hold events, host functions and memory work, and can be launched.

use crate::code::{Code, Result};
use crate::stream::Stream;
use crate::table::{Handle, Table};
use crate::work::Work;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;

/// One piece of work, and the nodes that it comes after, which all have lower numbers.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) work: Work,
    pub(crate) behind: BTreeSet<usize>,
}

/// A graph.
#[derive(Clone, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
}

/// A place of the tables of graphs and of executable graphs.
type Shared = Mutex<Option<Arc<Graph>>>;

static GRAPHS: Table<Shared> = Table::new(0xC4);
static EXECUTABLE: Table<Shared> = Table::new(0xC5);

impl Graph {
    /// Do the ends stand behind every node?
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

fn insert(table: &'static Table<Shared>, graph: Arc<Graph>) -> Result<Handle> {
    table.insert(|place| *place.lock() = Some(graph)).ok_or(Code::OUT_OF_MEMORY)
}

fn find(table: &'static Table<Shared>, handle: Handle) -> Result<Arc<Graph>> {
    table.get(handle).and_then(|place| place.lock().clone()).ok_or(Code::INVALID_HANDLE)
}

/// Gives a graph a handle.
pub(crate) fn keep(graph: Graph) -> Result<Handle> {
    insert(&GRAPHS, Arc::new(graph))
}

/// The number of nodes.
pub(crate) fn len(graph: Handle) -> Result<usize> {
    Ok(find(&GRAPHS, graph)?.nodes.len())
}

/// Makes an executable graph.
pub(crate) fn instantiate(graph: Handle) -> Result<Handle> {
    insert(&EXECUTABLE, find(&GRAPHS, graph)?)
}

/// Gives the stream all that the graph holds. The order of the nodes' numbers is one that their dependencies allow.
pub(crate) fn launch(executable: Handle, stream: &'static Stream) -> Result {
    let graph = find(&EXECUTABLE, executable)?;
    graph.nodes.iter().try_for_each(|node| stream.submit(node.work.clone()))
}

/// Checks that an executable graph is there.
pub(crate) fn check(executable: Handle) -> Result {
    find(&EXECUTABLE, executable).map(drop)
}

pub(crate) fn destroy(graph: Handle) -> Result {
    GRAPHS.remove(graph, |place| *place.lock() = None).ok_or(Code::INVALID_HANDLE)
}

/// Ends an executable graph; what was launched still runs.
pub(crate) fn destroy_executable(graph: Handle) -> Result {
    EXECUTABLE.remove(graph, |place| *place.lock() = None).ok_or(Code::INVALID_HANDLE)
}
