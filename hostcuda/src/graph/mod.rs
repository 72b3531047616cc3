//! Graphs: nodes with dependencies, captured or built node by node.

mod exec;
mod memory;
mod node;
mod object;
mod step;

pub(crate) use exec::{Exec, ExecNode, UpdateInfo, instantiate, update};
pub(crate) use memory::{GraphMemory, free_graph_memory};
pub(crate) use node::{add, change_edges, edges, find, locate, remove};
pub(crate) use object::{Kept, change_object, create_object, take_references};
pub(crate) use step::Step;

use crate::code::{Code, Result};
use crate::handle::{Handle, Locked};
use gevt_core::table::table;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Weak;

/// The number of a node in its graph. Numbers only grow, and a clone keeps them.
pub(crate) type Number = u32;

/// A node and its dependencies.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) handle: Handle,
    pub(crate) step: Step,
    pub(crate) behind: BTreeSet<Number>,
}

#[derive(Default)]
pub(crate) struct Graph {
    pub(crate) nodes: BTreeMap<Number, Node>,
    next: Number,
    /// The graph that it was cloned from.
    origin: Handle,
    /// Whether it is a child graph, which its node owns.
    pub(crate) inside: bool,
    pub(crate) objects: Vec<Kept>,
    /// The last executable graph that was made from it, while that exists.
    executable: Weak<Vec<Kept>>,
}

table! {
    static GRAPHS: Locked<Graph>, Graph;
}

impl Drop for Graph {
    fn drop(&mut self) {
        std::mem::take(&mut self.nodes).into_values().for_each(|node| node::end(&node));
    }
}

impl Graph {
    /// Returns whether an executable graph that was made from it still exists.
    pub(crate) fn is_instantiated(&self) -> bool {
        self.executable.strong_count() > 0
    }

    /// Returns the node numbers in an order that the dependencies allow; `None` if they form a cycle.
    pub(crate) fn order(&self) -> Option<Vec<Number>> {
        let mut waiting: BTreeMap<Number, usize> = BTreeMap::new();
        let mut ahead: BTreeMap<Number, Vec<Number>> = BTreeMap::new();
        for (number, node) in &self.nodes {
            waiting.insert(*number, node.behind.len());
            node.behind.iter().for_each(|earlier| ahead.entry(*earlier).or_default().push(*number));
        }
        let mut ready: BTreeSet<Number> =
            waiting.iter().filter(|(_, left)| **left == 0).map(|(number, _)| *number).collect();
        let mut order = Vec::with_capacity(self.nodes.len());
        while let Some(number) = ready.pop_first() {
            order.push(number);
            for later in ahead.remove(&number).into_iter().flatten() {
                let left = waiting.entry(later).or_default();
                *left -= 1;
                if *left == 0 {
                    ready.insert(later);
                }
            }
        }
        (order.len() == self.nodes.len()).then_some(order)
    }

    /// Returns whether the ends depend on all of the nodes.
    pub(crate) fn is_reached(&self, nodes: &[Number], ends: Option<&BTreeSet<Number>>) -> bool {
        let mut reached = BTreeSet::new();
        let mut next: Vec<Number> = ends.into_iter().flatten().copied().collect();
        while let Some(number) = next.pop() {
            if reached.insert(number) {
                next.extend(self.nodes.get(&number).into_iter().flat_map(|node| &node.behind));
            }
        }
        nodes.iter().all(|number| reached.contains(number) || !self.nodes.contains_key(number))
    }
}

/// Creates an empty graph.
pub(crate) fn create() -> Result<Handle> {
    Locked::insert(&GRAPHS, Graph::default())
}

/// Runs the body on the graph of a handle.
pub(crate) fn with<T>(handle: Handle, body: impl FnOnce(&mut Graph) -> Result<T>) -> Result<T> {
    Locked::with(&GRAPHS, handle, body)
}

/// Destroys a graph, unless a node owns it.
pub(crate) fn destroy(handle: Handle) -> Result {
    if with(handle, |graph| Ok(graph.inside))? {
        return Err(Code::INVALID_VALUE);
    }
    end(handle)
}

fn end(handle: Handle) -> Result {
    Locked::remove(&GRAPHS, handle)
}

/// Copies a graph. A graph that allocates memory cannot be copied.
pub(crate) fn copy(of: Handle, inside: bool) -> Result<Handle> {
    let (nodes, next, objects) = with(of, |graph| Ok((graph.nodes.clone(), graph.next, graph.objects.clone())))?;
    if nodes.values().any(|node| node.step.is_memory()) {
        return Err(Code::NOT_SUPPORTED);
    }
    let mut graph = Graph::default();
    (graph.next, graph.origin, graph.inside, graph.objects) = (next, of, inside, objects);
    let made = Locked::insert(&GRAPHS, graph)?;
    let copied = nodes.into_iter().try_for_each(|(number, node)| {
        let step = match node.step {
            Step::Child(child) => Step::Child(copy(child, true)?),
            step => step,
        };
        node::put(made, number, step, node.behind)
    });
    copied.inspect_err(|_| _ = end(made)).map(|()| made)
}

/// Returns the clone's copy of a node of the original.
pub(crate) fn find_in_clone(node: Handle, clone: Handle) -> Result<Handle> {
    let (graph, number) = locate(node)?;
    with(clone, |clone| {
        let found = clone.nodes.get(&number).filter(|_| clone.origin == graph);
        found.map(|node| node.handle).ok_or(Code::INVALID_VALUE)
    })
}
