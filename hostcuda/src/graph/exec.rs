//! Executable graphs: copies of graphs, in an order that the dependencies allow.

use super::{Kept, Node, Number, Step, with};
use crate::code::{Code, Result};
use crate::handle::{Handle, Locked};
use crate::own_event::OwnEvent;
use crate::work::Work;
use cuda_abi::{GRAPH_AUTO_FREE_ON_LAUNCH, GRAPH_UPLOAD, GRAPH_USE_NODE_PRIORITY};
use gevt_core::table::table;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct Exec {
    pub(crate) flags: u64,
    pub(crate) nodes: Arc<Vec<ExecNode>>,
    /// The user objects of the graph and its child graphs. The graph that it was made from knows by this that it exists.
    pub(crate) objects: Arc<Vec<Kept>>,
    /// The end of its last launch. The next launch waits for it.
    pub(crate) last: Option<Arc<OwnEvent>>,
}

/// A node. The nodes of a child graph follow the child graph's node.
#[derive(Clone)]
pub(crate) struct ExecNode {
    /// The node that it was copied from.
    pub(crate) source: Handle,
    pub(crate) step: Step,
    /// The places of its dependencies in the order of its graph.
    pub(crate) behind: Vec<usize>,
    pub(crate) enabled: bool,
    /// How many nodes of a child graph follow.
    pub(crate) inner: usize,
}

table! {
    static EXECUTABLE: Locked<Exec>, ExecutableGraph;
}

/// CUgraphExecUpdateResultInfo: why an update is refused, and the mismatched nodes of the executable graph and of the other graph.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct UpdateInfo {
    pub(crate) result: i32,
    pub(crate) node: Handle,
    pub(crate) from: Handle,
}

const TOPOLOGY_CHANGED: i32 = 2;
const NODE_TYPE_CHANGED: i32 = 3;
const PARAMETERS_CHANGED: i32 = 5;
const NOT_SUPPORTED: i32 = 6;

/// The flags: free on launch, upload, node priorities. No graph is launched from a device.
const FLAGS: u64 = GRAPH_AUTO_FREE_ON_LAUNCH | GRAPH_UPLOAD | GRAPH_USE_NODE_PRIORITY;

/// Creates an executable graph.
pub(crate) fn instantiate(graph: Handle, flags: u64) -> Result<Handle> {
    if flags & !FLAGS != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let nodes = nodes_of(graph)?;
    let objects = Arc::new(objects_of(graph)?);
    with(graph, |graph| {
        // The memory of a graph exists once, so only one executable graph can own it.
        if graph.is_instantiated() && graph.nodes.values().any(|node| node.step.is_memory()) {
            return Err(Code::NOT_SUPPORTED);
        }
        graph.executable = Arc::downgrade(&objects);
        Ok(())
    })?;
    Locked::insert(&EXECUTABLE, Exec { flags, nodes: Arc::new(nodes), objects, last: None })
}

/// Returns a copy of a graph's nodes, in order.
pub(crate) fn nodes_of(graph: Handle) -> Result<Vec<ExecNode>> {
    let own = with(graph, |graph| {
        let order = graph.order().ok_or(Code::INVALID_VALUE)?;
        let places: BTreeMap<Number, usize> =
            order.iter().enumerate().map(|(place, number)| (*number, place)).collect();
        let copied = order.iter().filter_map(|number| graph.nodes.get(number)).map(|node| {
            let behind = node.behind.iter().filter_map(|earlier| places.get(earlier).copied()).collect();
            ExecNode { source: node.handle, step: node.step.clone(), behind, enabled: true, inner: 0 }
        });
        Ok(copied.collect::<Vec<_>>())
    })?;
    let mut all = Vec::with_capacity(own.len());
    for node in own {
        let inner = if let Step::Child(child) = node.step { nodes_of(child)? } else { Vec::new() };
        all.push(ExecNode { inner: inner.len(), ..node });
        all.extend(inner);
    }
    Ok(all)
}

/// Returns references to the user objects of a graph and its child graphs.
fn objects_of(graph: Handle) -> Result<Vec<Kept>> {
    let child = |node: &Node| if let Step::Child(child) = node.step { Some(child) } else { None };
    let (mut kept, children) =
        with(graph, |graph| Ok((graph.objects.clone(), graph.nodes.values().filter_map(child).collect::<Vec<_>>())))?;
    for child in children {
        kept.extend(objects_of(child)?);
    }
    Ok(kept)
}

impl Exec {
    /// Runs the body on the graph of a handle.
    pub(crate) fn with<T>(handle: Handle, body: impl FnOnce(&mut Exec) -> Result<T>) -> Result<T> {
        Locked::with(&EXECUTABLE, handle, body)
    }

    /// Runs the body on the copy of a node. Launches already submitted are not affected.
    pub(crate) fn node<T>(handle: Handle, source: Handle, body: impl FnOnce(&mut ExecNode) -> Result<T>) -> Result<T> {
        Exec::with(handle, |exec| {
            let nodes = Arc::<Vec<ExecNode>>::make_mut(&mut exec.nodes);
            body(nodes.iter_mut().find(|node| node.source == source).ok_or(Code::INVALID_VALUE)?)
        })
    }

    pub(crate) fn destroy(handle: Handle) -> Result {
        Locked::remove(&EXECUTABLE, handle)
    }
}

/// Updates the executable graph with the parameters of another graph of the same shape. Returns why it is refused.
pub(crate) fn update(handle: Handle, graph: Handle) -> Result<Option<UpdateInfo>> {
    let new = nodes_of(graph)?;
    Exec::with(handle, |exec| {
        let refused = compare(&exec.nodes, &new);
        if refused.is_none() {
            let nodes = Arc::<Vec<ExecNode>>::make_mut(&mut exec.nodes);
            nodes.iter_mut().zip(new).for_each(|(old, new)| old.step = new.step);
        }
        Ok(refused)
    })
}

fn compare(old: &[ExecNode], new: &[ExecNode]) -> Option<UpdateInfo> {
    let refuse = |result, old: Option<&ExecNode>, new: Option<&ExecNode>| {
        let source = |node: Option<&ExecNode>| node.map_or(0, |node| node.source);
        Some(UpdateInfo { result, node: source(old), from: source(new) })
    };
    for (old, new) in old.iter().zip(new) {
        let result = match (&old.step, &new.step) {
            (one, other) if one.kind() != other.kind() => NODE_TYPE_CHANGED,
            _ if old.behind != new.behind || old.inner != new.inner => TOPOLOGY_CHANGED,
            (one, _) if one.is_memory() => NOT_SUPPORTED,
            (Step::Work(Work::Transfer(one, _)), Step::Work(Work::Transfer(other, _))) if !one.has_ends_of(other) => {
                PARAMETERS_CHANGED
            }
            _ => continue,
        };
        return refuse(result, Some(old), Some(new));
    }
    if old.len() == new.len() { None } else { refuse(TOPOLOGY_CHANGED, old.get(new.len()), new.get(old.len())) }
}
