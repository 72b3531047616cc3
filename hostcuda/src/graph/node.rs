//! Nodes: their handles, and the edges between them.

use super::{Graph, Node, Number, Step, with};
use crate::code::{Code, Result};
use crate::handle::{Handle, Locked};
use gevt_core::table::table;
use std::collections::BTreeSet;

table! {
    /// The graph of each node, and its number there.
    static NODES: Locked<(Handle, Number)>, GraphNode;
}

/// Returns the graph of a node, and its number there.
pub(crate) fn locate(node: Handle) -> Result<(Handle, Number)> {
    Locked::with(&NODES, node, |place| Ok(*place))
}

/// Runs the body on a node.
pub(crate) fn find<T>(node: Handle, body: impl FnOnce(&mut Node) -> Result<T>) -> Result<T> {
    let (graph, number) = locate(node)?;
    with(graph, |graph| body(graph.nodes.get_mut(&number).ok_or(Code::INVALID_VALUE)?))
}

/// Adds a node after others. Returns its handle and number.
pub(crate) fn add(graph: Handle, step: Step, behind: BTreeSet<Number>) -> Result<(Handle, Number)> {
    let number = with(graph, |graph| {
        graph.next += 1;
        Ok(graph.next - 1)
    })?;
    put(graph, number, step, behind)?;
    with(graph, |graph| Ok((graph.nodes.get(&number).ok_or(Code::INVALID_VALUE)?.handle, number)))
}

/// Adds a node with a given number.
pub(super) fn put(graph: Handle, number: Number, step: Step, behind: BTreeSet<Number>) -> Result {
    let handle = Locked::insert(&NODES, (graph, number))?;
    let node = Node { handle, step, behind };
    with(graph, |graph| Ok(_ = graph.nodes.insert(number, node))).inspect_err(|_| _ = Locked::remove(&NODES, handle))
}

/// Releases what a node owns.
pub(super) fn end(node: &Node) {
    let _ = Locked::remove(&NODES, node.handle);
    node.step.end();
}

/// Removes a node and its edges. Memory nodes cannot be removed.
pub(crate) fn remove(node: Handle) -> Result {
    let (graph, number) = locate(node)?;
    let removed = with(graph, |graph| {
        if graph.nodes.get(&number).is_some_and(|node| node.step.is_memory()) {
            return Err(Code::NOT_SUPPORTED);
        }
        graph.nodes.values_mut().for_each(|node| _ = node.behind.remove(&number));
        graph.nodes.remove(&number).ok_or(Code::INVALID_VALUE)
    })?;
    end(&removed);
    Ok(())
}

impl Graph {
    /// Returns the numbers of nodes of this graph. Refuses duplicates.
    pub(crate) fn numbers(&self, own: Handle, nodes: &[Handle]) -> Result<BTreeSet<Number>> {
        let mut numbers = BTreeSet::new();
        for node in nodes {
            if !numbers.insert(self.number(own, *node)?) {
                return Err(Code::INVALID_VALUE);
            }
        }
        Ok(numbers)
    }

    fn number(&self, own: Handle, node: Handle) -> Result<Number> {
        let (graph, number) = locate(node)?;
        if graph == own && self.nodes.contains_key(&number) { Ok(number) } else { Err(Code::INVALID_VALUE) }
    }

    /// Returns the handles of nodes.
    pub(crate) fn handles<'a>(&self, numbers: impl IntoIterator<Item = &'a Number>) -> Vec<Handle> {
        numbers.into_iter().filter_map(|number| self.nodes.get(number)).map(|node| node.handle).collect()
    }
}

/// Adds or removes edges, all or none. Refuses to add existing edges and edges from a node to itself, and to remove edges of graphs that
/// allocate or free memory.
pub(crate) fn change_edges(graph: Handle, edges: &[(Handle, Handle)], removes: bool) -> Result {
    with(graph, |of| {
        if removes && !edges.is_empty() && of.nodes.values().any(|node| node.step.is_memory()) {
            return Err(Code::NOT_SUPPORTED);
        }
        let mut changed = BTreeSet::new();
        for (from, to) in edges {
            let (from, to) = (of.number(graph, *from)?, of.number(graph, *to)?);
            let known = of.nodes.get(&to).is_some_and(|node| node.behind.contains(&from));
            if from == to || known != removes || !changed.insert((from, to)) {
                return Err(Code::INVALID_VALUE);
            }
        }
        for (from, to) in changed {
            let behind = of.nodes.get_mut(&to).map(|node| &mut node.behind);
            behind.map(|behind| if removes { behind.remove(&from) } else { behind.insert(from) });
        }
        Ok(())
    })
}

/// Returns all edges of a graph.
pub(crate) fn edges(graph: Handle) -> Result<Vec<(Handle, Handle)>> {
    with(graph, |graph| {
        let of =
            |node: &Node| graph.handles(&node.behind).into_iter().map(|from| (from, node.handle)).collect::<Vec<_>>();
        Ok(graph.nodes.values().flat_map(of).collect())
    })
}
