//! Nodes of graphs that record events, or wait for them. A library in front of the driver sees the calls.

use super::entry_points;
use crate::boundary::{Out, exports};
use crate::handle::Handle;

exports! { inside;
    fn cudaGraphAddEventRecordNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, event: Handle) {
        entry_points::graph_add_record(to, graph, behind, count, event)
    }
    fn cudaGraphAddEventWaitNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, event: Handle) {
        entry_points::graph_add_wait(to, graph, behind, count, event)
    }
    fn cudaGraphEventRecordNodeGetEvent(node: Handle, to: Out<Handle>) {
        entry_points::graph_record_get(node, to)
    }
    fn cudaGraphEventRecordNodeSetEvent(node: Handle, event: Handle) {
        entry_points::graph_record_set(node, event)
    }
    fn cudaGraphEventWaitNodeGetEvent(node: Handle, to: Out<Handle>) {
        entry_points::graph_wait_get(node, to)
    }
    fn cudaGraphEventWaitNodeSetEvent(node: Handle, event: Handle) {
        entry_points::graph_wait_set(node, event)
    }
    fn cudaGraphExecEventRecordNodeSetEvent(executable: Handle, node: Handle, event: Handle) {
        entry_points::exec_record_set(executable, node, event)
    }
    fn cudaGraphExecEventWaitNodeSetEvent(executable: Handle, node: Handle, event: Handle) {
        entry_points::exec_wait_set(executable, node, event)
    }
}
