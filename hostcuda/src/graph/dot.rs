//! Graphs as text, for graphviz.

use super::{Step, with};
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::report::uncancelled;
use std::fmt::Write;
use std::path::Path;

const NAMES: [&str; 13] = [
    "KERNEL",
    "MEMCPY",
    "MEMSET",
    "HOST",
    "GRAPH",
    "EMPTY",
    "WAIT_EVENT",
    "EVENT_RECORD",
    "",
    "",
    "MEM_ALLOC",
    "MEM_FREE",
    "BATCH_MEM_OP",
];

/// Writes a graph to a file.
pub(crate) fn print(graph: Handle, path: &str) -> Result {
    let mut text = String::from("digraph dot {\n");
    describe(graph, &mut text)?;
    text.push_str("}\n");
    uncancelled(|| std::fs::write(Path::new(path), text)).map_err(|_| Code::OPERATING_SYSTEM)
}

fn describe(graph: Handle, text: &mut String) -> Result {
    let mut inside = Vec::new();
    with(graph, |graph| {
        let id = graph.id;
        let _ = writeln!(text, "subgraph cluster_{id} {{\nlabel=\"graph_{id}\"");
        for (number, node) in &graph.nodes {
            let name = usize::try_from(node.step.kind()).ok().and_then(|kind| NAMES.get(kind)).unwrap_or(&"");
            let _ = writeln!(text, "\"graph_{id}_node_{number}\" [label=\"{number}\\n{name}\"];");
            for earlier in &node.behind {
                let _ = writeln!(text, "\"graph_{id}_node_{earlier}\" -> \"graph_{id}_node_{number}\";");
            }
            if let Step::Child(child) = node.step {
                inside.push(child);
            }
        }
        text.push_str("}\n");
        Ok(())
    })?;
    inside.into_iter().try_for_each(|child| describe(child, text))
}
