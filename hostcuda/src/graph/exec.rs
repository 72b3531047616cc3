//! Executable graphs: copies of graphs, in an order that the dependencies allow.

use super::{Graph, Kept, Number, Step, given, next_id, with};
use crate::code::{Code, Result};
use crate::handle::{Handle, of_c, to_c};
use crate::work::Work;
use cuda_abi::{GRAPH_AUTO_FREE_ON_LAUNCH, GRAPH_DEVICE_LAUNCH, GRAPH_UPLOAD, GRAPH_USE_NODE_PRIORITY};
use gevt_core::host_events::RawEvent;
use gevt_core::lock::Mutex;
use gevt_core::table::{Recycle, Word, table};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct Exec {
    pub(crate) id: u32,
    pub(crate) flags: u64,
    pub(crate) nodes: Arc<Vec<ExecNode>>,
    pub(crate) objects: Arc<Vec<Kept>>,
}

/// A node and its dependencies. The dependencies are earlier in the list.
#[derive(Clone)]
pub(crate) struct ExecNode {
    /// The node that it was copied from.
    pub(crate) source: Handle,
    pub(crate) step: ExecStep,
    pub(crate) behind: Vec<usize>,
    pub(crate) enabled: bool,
}

#[derive(Clone)]
pub(crate) enum ExecStep {
    Plain(Step),
    Child(Vec<ExecNode>),
}

/// The slot of an executable graph.
#[derive(Default)]
pub(crate) struct ExecSlot {
    pub(crate) exec: Mutex<Option<Exec>>,
    /// The end of its last launch. The next launch waits for it.
    pub(crate) last: RawEvent,
}

table! {
    static EXECUTABLE: ExecSlot, ExecutableGraph;
}

impl Recycle for ExecSlot {
    fn recycle(&self, _: Word) {
        let ended = self.exec.lock().take();
        drop(ended);
        self.last.clear();
    }
}

/// Why an update is refused, as CUDA numbers it, and the mismatched nodes of the executable graph and of the other graph.
pub(crate) struct Update {
    pub(crate) result: i32,
    pub(crate) node: Handle,
    pub(crate) from: Handle,
}

const TOPOLOGY_CHANGED: i32 = 2;
const NODE_TYPE_CHANGED: i32 = 3;
const PARAMETERS_CHANGED: i32 = 5;
const NOT_SUPPORTED: i32 = 6;

/// The flags: free on launch, upload, device launch, node priorities.
const FLAGS: u64 = GRAPH_AUTO_FREE_ON_LAUNCH | GRAPH_UPLOAD | GRAPH_DEVICE_LAUNCH | GRAPH_USE_NODE_PRIORITY;
/// The node types of graphs that can be launched from a device: kernels, copies, sets, child graphs.
const LAUNCHED_FROM_DEVICE: [i32; 4] = [0, 1, 2, 4];
/// Two exclusive flags: free on launch, device launch.
const EITHER: u64 = GRAPH_AUTO_FREE_ON_LAUNCH | GRAPH_DEVICE_LAUNCH;

/// Creates an executable graph.
pub(crate) fn instantiate(graph: Handle, flags: u64) -> Result<Handle> {
    if flags & !FLAGS != 0 || flags & EITHER == EITHER {
        return Err(Code::INVALID_VALUE);
    }
    let nodes = Arc::new(nodes_of(graph)?);
    if flags & GRAPH_DEVICE_LAUNCH != 0 && nodes.iter().any(|node| !LAUNCHED_FROM_DEVICE.contains(&node.step.kind())) {
        return Err(Code::INVALID_VALUE);
    }
    let objects = with(graph, |graph| {
        // The memory of a graph exists once, so only one executable graph can own it.
        if graph.is_instantiated() && graph.nodes.values().any(|node| node.step.is_memory()) {
            return Err(Code::NOT_SUPPORTED);
        }
        let objects = Arc::new(graph.objects.iter().map(Kept::again).collect());
        graph.executable = Arc::downgrade(&objects);
        Ok(objects)
    })?;
    let exec = Exec { id: next_id(), flags, nodes, objects };
    Ok(to_c(EXECUTABLE.insert(|slot| *slot.exec.lock() = Some(exec))?))
}

/// Returns a copy of a graph's nodes, in order.
pub(crate) fn nodes_of(graph: Handle) -> Result<Vec<ExecNode>> {
    let nodes = with(graph, |graph| {
        let order = graph.order().ok_or(Code::INVALID_VALUE)?;
        let places: BTreeMap<Number, usize> =
            order.iter().enumerate().map(|(place, number)| (*number, place)).collect();
        Ok(order.iter().filter_map(|number| exec_node(graph, *number, &places)).collect::<Vec<_>>())
    })?;
    let fill = |mut node: ExecNode| {
        if let ExecStep::Plain(Step::Child(child)) = node.step {
            node.step = ExecStep::Child(nodes_of(child)?);
        }
        Ok(node)
    };
    nodes.into_iter().map(fill).collect()
}

fn exec_node(graph: &Graph, number: Number, places: &BTreeMap<Number, usize>) -> Option<ExecNode> {
    let node = graph.nodes.get(&number)?;
    let behind = node.behind.iter().filter_map(|earlier| places.get(earlier).copied()).collect();
    Some(ExecNode { source: node.handle, step: ExecStep::Plain(node.step.clone()), behind, enabled: true })
}

impl ExecStep {
    pub(crate) fn kind(&self) -> i32 {
        match self {
            ExecStep::Plain(step) => step.kind(),
            ExecStep::Child(_) => Step::Child(0).kind(),
        }
    }
}

impl Exec {
    /// Runs the body on the graph of a handle.
    pub(crate) fn with<T>(handle: Handle, body: impl FnOnce(&mut Exec) -> Result<T>) -> Result<T> {
        let slot = EXECUTABLE.get(of_c(given(handle)?)).map_err(|_| Code::INVALID_VALUE)?;
        let mut exec = slot.exec.lock();
        body(exec.as_mut().ok_or(Code::INVALID_VALUE)?)
    }

    /// Returns the slot of a handle. Other graphs may reuse it later.
    pub(crate) fn slot(handle: Handle) -> Result<&'static ExecSlot> {
        EXECUTABLE.peek(of_c(given(handle)?)).map_err(|_| Code::INVALID_VALUE)
    }

    /// Runs the body on the copy of a node. Launches already submitted are not affected.
    pub(crate) fn node<T>(handle: Handle, source: Handle, body: impl FnOnce(&mut ExecNode) -> Result<T>) -> Result<T> {
        fn find(nodes: &mut [ExecNode], source: Handle) -> Option<&mut ExecNode> {
            let at = nodes.iter().position(|node| node.source == source);
            match at {
                Some(at) => nodes.get_mut(at),
                None => nodes.iter_mut().find_map(|node| match &mut node.step {
                    ExecStep::Child(inner) => find(inner, source),
                    ExecStep::Plain(_) => None,
                }),
            }
        }
        Exec::with(handle, |exec| {
            body(find(Arc::<Vec<ExecNode>>::make_mut(&mut exec.nodes), source).ok_or(Code::INVALID_VALUE)?)
        })
    }

    pub(crate) fn destroy(handle: Handle) -> Result {
        EXECUTABLE.remove(of_c(given(handle)?)).map_err(|_| Code::INVALID_VALUE)
    }
}

/// Updates the executable graph with the parameters of another graph of the same shape. Returns why it is refused.
pub(crate) fn update(handle: Handle, graph: Handle) -> Result<Option<Update>> {
    let new = nodes_of(graph)?;
    Exec::with(handle, |exec| {
        let refused = compare(&exec.nodes, &new);
        if refused.is_none() {
            take_over(Arc::<Vec<ExecNode>>::make_mut(&mut exec.nodes), new);
        }
        Ok(refused)
    })
}

/// Gives a child graph's node the parameters of another graph of the same shape.
pub(crate) fn update_child(handle: Handle, node: Handle, graph: Handle) -> Result {
    let new = nodes_of(graph)?;
    Exec::node(handle, node, |node| match &mut node.step {
        ExecStep::Child(old) if compare(old, &new).is_none() => {
            take_over(old, new);
            Ok(())
        }
        ExecStep::Child(_) => Err(Code::GRAPH_EXEC_UPDATE_FAILURE),
        ExecStep::Plain(_) => Err(Code::INVALID_VALUE),
    })
}

fn compare(old: &[ExecNode], new: &[ExecNode]) -> Option<Update> {
    let refuse = |result, old: Option<&ExecNode>, new: Option<&ExecNode>| {
        let source = |node: Option<&ExecNode>| node.map_or(0, |node| node.source);
        Some(Update { result, node: source(old), from: source(new) })
    };
    for (old, new) in old.iter().zip(new) {
        if old.step.kind() != new.step.kind() {
            return refuse(NODE_TYPE_CHANGED, Some(old), Some(new));
        }
        if old.behind != new.behind {
            return refuse(TOPOLOGY_CHANGED, Some(old), Some(new));
        }
        match (&old.step, &new.step) {
            (ExecStep::Child(old), ExecStep::Child(new)) => match compare(old, new) {
                None => {}
                refused => return refused,
            },
            (ExecStep::Plain(step), _) if step.is_memory() => return refuse(NOT_SUPPORTED, Some(old), Some(new)),
            (
                ExecStep::Plain(Step::Work(Work::Transfer(one, _))),
                ExecStep::Plain(Step::Work(Work::Transfer(other, _))),
            ) if !one.has_ends_of(other) => {
                return refuse(PARAMETERS_CHANGED, Some(old), Some(new));
            }
            _ => {}
        }
    }
    if old.len() == new.len() { None } else { refuse(TOPOLOGY_CHANGED, old.get(new.len()), new.get(old.len())) }
}

fn take_over(old: &mut [ExecNode], new: Vec<ExecNode>) {
    for (old, new) in old.iter_mut().zip(new) {
        match (&mut old.step, new.step) {
            (ExecStep::Child(old), ExecStep::Child(new)) => take_over(old, new),
            (old, new) => *old = new,
        }
    }
}
