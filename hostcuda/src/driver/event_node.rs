//! Graph nodes that record events or wait for them.

use crate::boundary::{Out, exports};
use crate::code::Code;
use crate::driver::exec::set_step as set_exec_step;
use crate::driver::node::{Place, add, check_event, set_step};
use crate::graph::{self, Step};
use crate::handle::Handle;

exports! { driver, inside;
    fn cuGraphAddEventRecordNode = cudaGraphAddEventRecordNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, event: Handle) {
        add(to, Place { graph, behind, count }, || check_event(event).map(Step::Record))
    }
    fn cuGraphAddEventWaitNode = cudaGraphAddEventWaitNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, event: Handle) {
        add(to, Place { graph, behind, count }, || check_event(event).map(Step::Wait))
    }
    fn cuGraphEventRecordNodeGetEvent = cudaGraphEventRecordNodeGetEvent(node: Handle, to: Out<Handle>) {
        to.check()?.set(graph::find(node, |node| if let Step::Record(event) = node.step { Ok(event) } else { Err(Code::INVALID_VALUE) })?)
    }
    fn cuGraphEventRecordNodeSetEvent = cudaGraphEventRecordNodeSetEvent(node: Handle, event: Handle) {
        set_step(node, Step::Record(check_event(event)?))
    }
    fn cuGraphEventWaitNodeGetEvent = cudaGraphEventWaitNodeGetEvent(node: Handle, to: Out<Handle>) {
        to.check()?.set(graph::find(node, |node| if let Step::Wait(event) = node.step { Ok(event) } else { Err(Code::INVALID_VALUE) })?)
    }
    fn cuGraphEventWaitNodeSetEvent = cudaGraphEventWaitNodeSetEvent(node: Handle, event: Handle) { set_step(node, Step::Wait(check_event(event)?)) }
    fn cuGraphExecEventRecordNodeSetEvent = cudaGraphExecEventRecordNodeSetEvent(executable: Handle, node: Handle, event: Handle) {
        set_exec_step(executable, node, Step::Record(check_event(event)?))
    }
    fn cuGraphExecEventWaitNodeSetEvent = cudaGraphExecEventWaitNodeSetEvent(executable: Handle, node: Handle, event: Handle) {
        set_exec_step(executable, node, Step::Wait(check_event(event)?))
    }
}
