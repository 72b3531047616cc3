//! Launches of graphs.

use crate::capture;
use crate::code::{Code, Result};
use crate::event;
use crate::graph::{self, Exec, ExecNode, Step};
use crate::handle::Handle;
use crate::own_event::OwnEvent;
use crate::stream::Stream;
use crate::work::Work;
use cuda_abi::GRAPH_AUTO_FREE_ON_LAUNCH;
use gevt_core::{Event, EventFlags};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Submits all nodes of the graph to the stream, after the graph's previous launch. The nodes run in an order that their dependencies
/// allow. A captured stream gets a node with a copy of the graph.
pub(crate) fn launch(executable: Handle, stream: &'static Stream) -> Result {
    let exec = Exec::with(executable, |exec| Ok(exec.clone()))?;
    capture::check_implicit(stream)?;
    if let Some(capture) = capture::of(stream) {
        let child = copy(&exec.nodes)?;
        graph::with(child, |graph| {
            graph.objects = exec.objects.to_vec();
            Ok(())
        })?;
        let child = Step::Child(child);
        return capture.add(stream, child.clone()).inspect_err(|_| child.end());
    }
    check_transfers(&exec.nodes)?;
    check_memory(&exec)?;
    exec.last.as_ref().map_or(Ok(()), |last| stream.core().wait(last.0))?;
    let mut enabled = exec.nodes.iter().filter(|node| node.enabled);
    let given = enabled.try_for_each(|node| give(stream, node.step.clone()));
    if !exec.objects.is_empty() || exec.nodes.iter().any(|node| matches!(node.step, Step::Allocate(_))) {
        Work::LetGo(Arc::new(exec)).give(stream)?;
    }
    let end = OwnEvent(Event::create_in(stream.context()?.core, EventFlags::DISABLE_TIMING)?);
    end.0.record(stream.core())?;
    // It may have been destroyed meanwhile.
    let _ = Exec::with(executable, |exec| Ok(_ = exec.last.replace(Arc::new(end))));
    given
}

/// Refuses copies and sets of memory that was freed since the node was made.
fn check_transfers(nodes: &[ExecNode]) -> Result {
    nodes.iter().filter(|node| node.enabled).try_for_each(|node| match &node.step {
        Step::Work(Work::Transfer(transfer, _)) => transfer.check(),
        _ => Ok(()),
    })
}

/// Refuses to allocate memory again that was not freed since the last launch, unless the launch is to free it.
fn check_memory(exec: &Exec) -> Result {
    for node in exec.nodes.iter() {
        match &node.step {
            Step::Allocate(memory) if memory.is_used() => match exec.flags & GRAPH_AUTO_FREE_ON_LAUNCH {
                0 => return Err(Code::INVALID_VALUE),
                _ => _ = graph::free_graph_memory(memory.start),
            },
            _ => {}
        }
    }
    Ok(())
}

fn give(stream: &'static Stream, step: Step) -> Result {
    match step {
        Step::Work(work) => work.give(stream),
        Step::Record(event) => event::get(event)?.record_now(stream),
        Step::Wait(event) => event::get(event)?.wait_now(stream),
        Step::Allocate(memory) => {
            memory.allocate();
            Ok(())
        }
        Step::Free(start) => {
            graph::free_graph_memory(start);
            Ok(())
        }
        Step::Empty | Step::Child(_) => Ok(()),
    }
}

/// Makes a child graph of the nodes.
fn copy(nodes: &[ExecNode]) -> Result<Handle> {
    let made = graph::create()?;
    let mut numbers = Vec::new();
    let mut rest = nodes;
    while let [node, later @ ..] = rest {
        let (inner, later) = later.split_at(node.inner);
        rest = later;
        let step = match &node.step {
            Step::Child(_) => Step::Child(copy(inner)?),
            _ if !node.enabled => Step::Empty,
            step => step.clone(),
        };
        let behind: BTreeSet<_> = node.behind.iter().filter_map(|place| numbers.get(*place).copied()).collect();
        numbers.push(graph::add(made, step, behind)?.1);
    }
    graph::with(made, |graph| {
        graph.inside = true;
        Ok(made)
    })
}
