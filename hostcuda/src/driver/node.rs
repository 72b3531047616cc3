//! Adding graph nodes, and their operations.

use crate::boundary::{Out, exports, list};
use crate::code::{Code, Result};
use crate::device as devices;
use crate::driver::{exec, node, node_params};
use crate::graph::{GraphMemory, Step};
use crate::handle::Handle;
use crate::pool::{Location, Props};
use crate::transfer::{Region, Side, Source, Transfer};
use crate::work::{Function, User, Work};
use crate::{block, context, event, graph, primary};
use cuda_abi::GraphNodeParams;
use std::sync::Arc;

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

/// CUDA_MEM_ALLOC_NODE_PARAMS.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct AllocParams {
    props: Props,
    access: usize,
    access_count: usize,
    len: usize,
    address: usize,
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
        let size = size as usize;
        if !matches!(size, 1 | 2 | 4) || width == 0 || height == 0 || !to.is_multiple_of(size) {
            return Err(Code::INVALID_VALUE);
        }
        let bytes = width.checked_mul(size).ok_or(Code::INVALID_VALUE)?;
        if height > 1 && (pitch < bytes || !pitch.is_multiple_of(size)) {
            return Err(Code::INVALID_VALUE);
        }
        let from = Source::Value(value, size);
        let transfer = Transfer::new(Region::rows(to, pitch), from, bytes, height, 1);
        let transfer = transfer.between(Side::Device, Side::Any)?;
        Ok(Step::Work(Work::Transfer(transfer, Vec::new())))
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

impl AllocParams {
    /// Allocates memory and writes its address.
    pub(crate) fn step(&mut self) -> Result<Step> {
        let Location { id, .. } = self.props.location;
        let device = self.props.check()?.ok_or(Code::INVALID_VALUE)?;
        if self.access_count > 0 && self.access == 0 || self.access_count > devices::count() as usize {
            return Err(Code::INVALID_VALUE);
        }
        if self.props.is_exported() {
            return Err(Code::NOT_SUPPORTED);
        }
        let context = if context::current()?.device == device { context::current()? } else { primary::of(id)? };
        let memory = Arc::new(GraphMemory::new(context, self.len)?);
        self.address = memory.start;
        Ok(Step::Allocate(memory))
    }
}

pub(crate) fn check_event(handle: Handle) -> Result<Handle> {
    if handle == 0 { Err(Code::INVALID_VALUE) } else { event::get(handle).map(|_| handle) }
}

/// Copies a graph for a child graph node.
pub(crate) fn child(handle: Handle) -> Result<Step> {
    graph::copy(handle, true).map(Step::Child)
}

/// Returns a step that frees graph memory. Only one node of a graph may do this, and only before instantiation.
pub(crate) fn free(graph: Handle, address: usize) -> Result<Step> {
    let frees = |node: &graph::Node| matches!(node.step, Step::Free(freed) if freed == address);
    if graph::with(graph, |graph| Ok(graph.is_instantiated() || graph.nodes.values().any(frees)))? {
        return Err(Code::INVALID_VALUE);
    }
    let block = block::find(address).filter(|block| block.kind == block::Kind::Graph && block.start == address);
    block.map(|_| Step::Free(address)).ok_or(Code::INVALID_VALUE)
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
pub(crate) fn set_step(node: Handle, mut step: Step) -> Result {
    let set = graph::find(node, |node| {
        if node.step.kind() != step.kind() || step.is_memory() {
            return Err(Code::INVALID_VALUE);
        }
        std::mem::swap(&mut node.step, &mut step);
        Ok(())
    });
    // After the swap, `step` is the replaced or refused one.
    step.end();
    set
}

exports! { driver, inside;
    fn cuGraphAddEmptyNode = cudaGraphAddEmptyNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize) {
        add(to, Place { graph, behind, count }, || Ok(Step::Empty))
    }
    fn cuGraphAddChildGraphNode = cudaGraphAddChildGraphNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, of: Handle) {
        add(to, Place { graph, behind, count }, || child(of))
    }
    fn cuGraphAddMemAllocNode = cudaGraphAddMemAllocNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, params: Out<AllocParams>) {
        let mut given = params.get()?;
        add(to, Place { graph, behind, count }, || given.step())?;
        params.set(given)
    }
    fn cuGraphAddMemFreeNode = cudaGraphAddMemFreeNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, address: usize) {
        add(to, Place { graph, behind, count }, || free(graph, address))
    }
    fn cuGraphDestroyNode = cudaGraphDestroyNode(node: Handle) { graph::remove(node) }
    fn cuGraphNodeGetType = cudaGraphNodeGetType(node: Handle, to: Out<i32>) { to.check()?.set(graph::find(node, |node| Ok(node.step.kind()))?) }
    fn cuGraphNodeGetLocalId = cudaGraphNodeGetLocalId(node: Handle, to: Out<u32>) { to.check()?.set(graph::locate(node)?.1) }
    fn cuGraphNodeGetToolsId = cudaGraphNodeGetToolsId(node: Handle, to: Out<u64>) { to.check()?.set(node as u64) }
    fn cuGraphNodeGetContainingGraph = cudaGraphNodeGetContainingGraph(node: Handle, to: Out<Handle>) { to.check()?.set(graph::locate(node)?.0) }
    fn cuGraphChildGraphNodeGetGraph = cudaGraphChildGraphNodeGetGraph(node: Handle, to: Out<Handle>) {
        to.check()?.set(graph::find(node, |node| if let Step::Child(child) = node.step { Ok(child) } else { Err(Code::INVALID_VALUE) })?)
    }
    fn cuGraphMemFreeNodeGetParams = cudaGraphMemFreeNodeGetParams(node: Handle, to: Out<usize>) {
        to.check()?.set(graph::find(node, |node| if let Step::Free(address) = node.step { Ok(address) } else { Err(Code::INVALID_VALUE) })?)
    }
    fn cuGraphMemAllocNodeGetParams = cudaGraphMemAllocNodeGetParams(node: Handle, to: Out<AllocParams>) {
        let params = graph::find(node, |node| match &node.step {
            Step::Allocate(memory) => {
                let props = Props::on_device(memory.device);
                Ok(AllocParams { props, access: 0, access_count: 0, len: memory.len, address: memory.start })
            }
            _ => Err(Code::INVALID_VALUE),
        })?;
        to.check()?.set(params)
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

exports! { driver;
    fn cuGraphAddNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, params: Out<GraphNodeParams>) {
        add(to, Place { graph, behind, count }, || node_params::step(graph, params))
    }
    fn cuGraphAddNode_v2(to: Out<Handle>, graph: Handle, behind: Out<Handle>, data: Out<u64>, count: usize, params: Out<GraphNodeParams>) {
        list::check_edge_data(data, count)?;
        add(to, Place { graph, behind, count }, || node_params::step(graph, params))
    }
    fn cuGraphNodeSetParams(node: Handle, params: Out<GraphNodeParams>) { set_step(node, node_params::other_step(node, params)?) }
    fn cuGraphExecNodeSetParams(executable: Handle, node: Handle, params: Out<GraphNodeParams>) {
        exec::set_step(executable, node, node_params::other_step(node, params)?)
    }
}
