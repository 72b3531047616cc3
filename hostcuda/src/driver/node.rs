//! Adding graph nodes, and their operations.

use crate::boundary::{Out, exports, list};
use crate::code::{Code, Result};
use crate::driver::fill::{self, Rows};
use crate::driver::{exec, node};
use crate::graph::Step;
use crate::handle::Handle;
use crate::transfer::{Source, Transfer};
use crate::work::{Function, User, Work};
use crate::{event, graph};

/// CUDA_HOST_NODE_PARAMS.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct HostParams {
    function: Option<Function>,
    user: User,
}

/// CUDA_MEMSET_NODE_PARAMS.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct MemsetParams {
    to: usize,
    pitch: usize,
    value: u32,
    size: u32,
    width: usize,
    height: usize,
}

/// The parameters of nodes of one type.
pub(crate) trait NodeParams: Copy {
    fn step(self) -> Result<Step>;

    /// Describes a step of that type.
    fn of(step: &Step) -> Result<Self>;
}

/// Defines functions of a type of nodes: to add one, to get and to set its parameters, and to set those of its copy in an executable graph.
macro_rules! node_functions {
    ($($way:ident),+; $params:ty: $add:ident $(= $add_2:ident)?, $get:ident $(= $get_2:ident)?, $set:ident $(= $set_2:ident)?,
     $set_exec:ident $(= $set_exec_2:ident)?) => {
        $crate::boundary::exports! { $($way),+;
            fn $add $(= $add_2)? (to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, params: Out<$params>) {
                node::add(to, Place { graph, behind, count }, || params.get()?.step())
            }
            fn $get $(= $get_2)? (node: Handle, to: Out<$params>) {
                to.check()?.set(graph::find(node, |node| <$params>::of(&node.step))?)
            }
            fn $set $(= $set_2)? (node: Handle, params: Out<$params>) {
                node::set_step(node, params.get()?.step()?)
            }
            fn $set_exec $(= $set_exec_2)? (executable: Handle, node: Handle, params: Out<$params>) {
                exec::set_step(executable, node, params.get()?.step()?)
            }
        }
    };
}
pub(super) use node_functions;

impl NodeParams for HostParams {
    fn step(self) -> Result<Step> {
        Ok(Step::Work(Work::Call(self.function.ok_or(Code::INVALID_VALUE)?, self.user)))
    }

    fn of(step: &Step) -> Result<HostParams> {
        match step {
            Step::Work(Work::Call(function, user)) => Ok(HostParams { function: Some(*function), user: *user }),
            _ => Err(Code::INVALID_VALUE),
        }
    }
}

impl NodeParams for MemsetParams {
    fn step(self) -> Result<Step> {
        let MemsetParams { to, pitch, value, size, width, height } = self;
        if !matches!(size, 1 | 2 | 4) || width == 0 || height == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let transfer = fill::transfer(Rows { to, pitch, count: width, height }, value, size as usize)?;
        Ok(Step::Work(Work::Transfer(transfer.checked()?, Vec::new())))
    }

    fn of(step: &Step) -> Result<MemsetParams> {
        match step {
            Step::Work(Work::Transfer(Transfer { to, from: Source::Value(value, size), width, height, .. }, _)) => {
                let (pitch, width, size32) = (to.pitch, width / size, *size as u32);
                Ok(MemsetParams { to: to.address, pitch, value: *value, size: size32, width, height: *height })
            }
            _ => Err(Code::INVALID_VALUE),
        }
    }
}

pub(crate) fn check_event(handle: Handle) -> Result<Handle> {
    if handle == 0 { Err(Code::INVALID_VALUE) } else { event::get(handle).map(|_| handle) }
}

/// Where a node is added: the graph and the node's dependencies.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) graph: Handle,
    pub(crate) behind: Out<Handle>,
    pub(crate) count: usize,
}

/// Adds a node. The step is created after all other checks.
pub(crate) fn add(to: Out<Handle>, place: Place, step: impl FnOnce() -> Result<Step>) -> Result {
    let Place { graph, behind, count } = place;
    to.check()?;
    let behind = list::read(behind, count)?;
    let behind = graph::with(graph, |of| of.numbers(graph, &behind))?;
    to.set(graph::add(graph, step()?, behind)?.0)
}

/// Replaces a node's step by one of the same type.
pub(crate) fn set_step(node: Handle, step: Step) -> Result {
    graph::find(node, |node| {
        if node.step.kind() != step.kind() {
            return Err(Code::INVALID_VALUE);
        }
        node.step = step;
        Ok(())
    })
}

exports! { driver, inside;
    fn cuGraphAddEmptyNode = cudaGraphAddEmptyNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize) {
        add(to, Place { graph, behind, count }, || Ok(Step::Empty))
    }
    fn cuGraphAddChildGraphNode = cudaGraphAddChildGraphNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, of: Handle) {
        add(to, Place { graph, behind, count }, || graph::copy(of, true).map(Step::Child))
    }
    fn cuGraphDestroyNode = cudaGraphDestroyNode(node: Handle) { graph::remove(node) }
    fn cuGraphNodeGetType = cudaGraphNodeGetType(node: Handle, to: Out<i32>) { to.check()?.set(graph::find(node, |node| Ok(node.step.kind()))?) }
    fn cuGraphChildGraphNodeGetGraph = cudaGraphChildGraphNodeGetGraph(node: Handle, to: Out<Handle>) {
        to.check()?.set(graph::find(node, |node| if let Step::Child(child) = node.step { Ok(child) } else { Err(Code::INVALID_VALUE) })?)
    }
}

node_functions! { driver, inside; HostParams:
    cuGraphAddHostNode = cudaGraphAddHostNode, cuGraphHostNodeGetParams = cudaGraphHostNodeGetParams,
    cuGraphHostNodeSetParams = cudaGraphHostNodeSetParams, cuGraphExecHostNodeSetParams = cudaGraphExecHostNodeSetParams
}

node_functions! { driver, inside; MemsetParams:
    cuGraphAddMemsetNode = cudaGraphAddMemsetNode, cuGraphMemsetNodeGetParams = cudaGraphMemsetNodeGetParams,
    cuGraphMemsetNodeSetParams = cudaGraphMemsetNodeSetParams, cuGraphExecMemsetNodeSetParams = cudaGraphExecMemsetNodeSetParams
}
