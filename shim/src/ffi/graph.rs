//! Graphs: the nodes that record events or wait for them. A graph records its events whenever it runs.

use super::boundary::exports;
use super::launch::{AttributeValue, attribute_event};
use crate::driver::types::{Event, Executable, Graph, Node};
use crate::events;
use std::ffi::c_void;

const WAIT_EVENT: i32 = 6;
const EVENT_RECORD: i32 = 7;

/// CUgraphNodeParams. Those of both event nodes begin with the event.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct NodeParams {
    kind: i32,
    _reserved: [i32; 3],
    event: Event,
    _rest: [u64; 28],
    _reserved_too: i64,
}
const _: () = assert!(size_of::<NodeParams>() == 256 && std::mem::offset_of!(NodeParams, event) == 16);

/// What a node does with its event.
enum EventNode {
    Records(Event),
    Waits(Event),
    /// It is another node, or none.
    Other,
}

/// # Safety
/// The parameters are NULL or can be read.
unsafe fn event_of(params: *const NodeParams) -> EventNode {
    if params.is_null() {
        return EventNode::Other;
    }
    // SAFETY: the caller's promise; the event is read only where the kind says that there is one.
    let (kind, event) = unsafe { ((&raw const (*params).kind).read_unaligned(), &raw const (*params).event) };
    match kind {
        // SAFETY: as above.
        EVENT_RECORD => EventNode::Records(unsafe { event.read_unaligned() }),
        // SAFETY: as above.
        WAIT_EVENT => EventNode::Waits(unsafe { event.read_unaligned() }),
        _ => EventNode::Other,
    }
}

/// A call that makes a node of these parameters.
macro_rules! make_node {
    ($call:ident, $params:ident) => {
        // SAFETY: the driver gets the same parameters and reads them, too.
        match unsafe { event_of($params) } {
            EventNode::Records(event) => events::give($call, event),
            EventNode::Waits(event) => events::read($call, event),
            EventNode::Other => Ok($call.driver()),
        }
    };
}

exports! {
    fn cuGraphAddEventRecordNode(out: *mut Node, graph: Graph, from: *const Node, count: usize, event: Event) |call| {
        events::give(call, event)
    }
    fn cuGraphEventRecordNodeSetEvent(node: Node, event: Event) |call| {
        events::give(call, event)
    }
    fn cuGraphExecEventRecordNodeSetEvent(executable: Executable, node: Node, event: Event) |call| {
        events::give(call, event)
    }
    fn cuGraphAddEventWaitNode(out: *mut Node, graph: Graph, from: *const Node, count: usize, event: Event) |call| {
        events::read(call, event)
    }
    fn cuGraphEventWaitNodeSetEvent(node: Node, event: Event) |call| {
        events::read(call, event)
    }
    fn cuGraphExecEventWaitNodeSetEvent(executable: Executable, node: Node, event: Event) |call| {
        events::read(call, event)
    }
    fn cuGraphAddNode(
        out: *mut Node,
        graph: Graph,
        from: *const Node,
        count: usize,
        params: *mut NodeParams,
    ) |call| {
        make_node!(call, params)
    }
    fn cuGraphAddNode_v2(
        out: *mut Node,
        graph: Graph,
        from: *const Node,
        edges: *const c_void,
        count: usize,
        params: *mut NodeParams,
    ) |call| {
        make_node!(call, params)
    }
    fn cuGraphAddNode_v3(
        out: *mut Node,
        graph: Graph,
        from: *const Node,
        edges: *const c_void,
        count: usize,
        params: *mut NodeParams,
    ) |call| {
        make_node!(call, params)
    }
    fn cuGraphNodeSetParams(node: Node, params: *mut NodeParams) |call| {
        make_node!(call, params)
    }
    fn cuGraphNodeSetParams_v2(node: Node, params: *mut NodeParams) |call| {
        make_node!(call, params)
    }
    fn cuGraphExecNodeSetParams(executable: Executable, node: Node, params: *mut NodeParams) |call| {
        make_node!(call, params)
    }
    fn cuGraphKernelNodeSetAttribute(node: Node, attribute: u32, value: *const AttributeValue) |call| {
        // SAFETY: the driver gets the same value and reads it, too.
        match unsafe { attribute_event(attribute, value) } {
            Some(event) => events::give(call, event),
            None => Ok(call.driver()),
        }
    }
}
