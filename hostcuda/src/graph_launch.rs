//! Launches of graphs.

use crate::capture;
use crate::code::Result;
use crate::event;
use crate::graph::{self, EXECUTABLE, Step};
use crate::handle::Handle;
use crate::stream::Stream;
use crate::submit::submit;

/// Gives the stream all that the graph holds. The order of the nodes' numbers is one that their dependencies allow.
pub(crate) fn launch(executable: Handle, stream: &'static Stream) -> Result {
    let graph = graph::get(&EXECUTABLE, executable)?;
    graph.nodes.iter().try_for_each(|node| give(stream, node.step.clone()))
}

fn give(stream: &'static Stream, step: Step) -> Result {
    match (step, capture::of(stream)) {
        (Step::Work(work), _) => submit(stream, work),
        (step, Some(capture)) => capture.add(stream, step),
        (Step::Record(event), None) => event::get(event)?.record_now(event, stream),
        (Step::Wait(event), None) => event::get(event)?.wait_now(event, stream),
    }
}
