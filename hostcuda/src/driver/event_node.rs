//! Nodes of graphs that record events, or wait for them.

use crate::both::exec::set_step as set_exec_step;
use crate::both::node::{Place, add, check_event, set_step};
use crate::boundary::{Out, exports};
use crate::code::Code;
use crate::graph::{self, Step};
use crate::handle::Handle;

exports! { driver;
    fn cuGraphAddEventRecordNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, event: Handle) {
        add(to, Place { graph, behind, count }, || check_event(event).map(Step::Record))
    }
    fn cuGraphAddEventWaitNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, event: Handle) {
        add(to, Place { graph, behind, count }, || check_event(event).map(Step::Wait))
    }
    fn cuGraphEventRecordNodeGetEvent(node: Handle, to: Out<Handle>) {
        to.check()?.set(graph::find(node, |node| if let Step::Record(event) = node.step { Ok(event) } else { Err(Code::INVALID_VALUE) })?)
    }
    fn cuGraphEventRecordNodeSetEvent(node: Handle, event: Handle) {
        set_step(node, Step::Record(check_event(event)?))
    }
    fn cuGraphEventWaitNodeGetEvent(node: Handle, to: Out<Handle>) {
        to.check()?.set(graph::find(node, |node| if let Step::Wait(event) = node.step { Ok(event) } else { Err(Code::INVALID_VALUE) })?)
    }
    fn cuGraphEventWaitNodeSetEvent(node: Handle, event: Handle) {
        set_step(node, Step::Wait(check_event(event)?))
    }
    fn cuGraphExecEventRecordNodeSetEvent(executable: Handle, node: Handle, event: Handle) {
        set_exec_step(executable, node, Step::Record(check_event(event)?))
    }
    fn cuGraphExecEventWaitNodeSetEvent(executable: Handle, node: Handle, event: Handle) {
        set_exec_step(executable, node, Step::Wait(check_event(event)?))
    }
}
