//! The parameters of a node of any type, as one structure.

use crate::boundary::Out;
use crate::code::{Code, Result};
use crate::driver::copy::Memcpy3d;
use crate::driver::kernel_node::KernelParams;
use crate::driver::node::{self, AllocParams, HostParams, MemsetParams, NodeParams};
use crate::graph::{self, Step};
use crate::handle::Handle;
use cuda_abi::{GraphNodeParams, NODE_LAST};
use std::mem::offset_of;

/// The type of copies.
pub(crate) const COPY: i32 = 1;

impl Out<GraphNodeParams> {
    /// The parameters that depend on the type.
    fn bytes(self) -> Out<u8> {
        self.cast::<u8>().at(offset_of!(GraphNodeParams, params))
    }

    /// The structure of a copy, which stands after its flags and its context. The runtime has another one in its place.
    pub(crate) fn copy_params(self) -> Out<Memcpy3d> {
        self.bytes().at(16).cast()
    }
}

/// Same as [`step`], for an existing node. It cannot become a memory node.
pub(crate) fn other_step(node: Handle, params: Out<GraphNodeParams>) -> Result<Step> {
    let graph = graph::locate(node)?.0;
    if matches!(params.get()?.kind, 10 | 11) { Err(Code::INVALID_VALUE) } else { step(graph, params) }
}

/// Returns the described step for a node of the graph.
pub(crate) fn step(graph: Handle, params: Out<GraphNodeParams>) -> Result<Step> {
    let given = params.get()?;
    if given.reserved != [0; 3] {
        return Err(Code::INVALID_VALUE);
    }
    let bytes = params.bytes();
    match given.kind {
        0 => bytes.cast::<KernelParams>().get()?.step(),
        COPY => params.copy_params().get()?.step(),
        2 => bytes.cast::<MemsetParams>().get()?.step(),
        3 => bytes.cast::<HostParams>().get()?.step(),
        4 => node::child(bytes.cast::<Handle>().get()?),
        5 => Ok(Step::Empty),
        6 => node::check_event(bytes.cast::<Handle>().get()?).map(Step::Wait),
        7 => node::check_event(bytes.cast::<Handle>().get()?).map(Step::Record),
        10 => {
            let place = bytes.cast::<AllocParams>();
            let mut params = place.get()?;
            let step = params.step()?;
            place.set(params).map(|()| step)
        }
        11 => node::free(graph, bytes.cast::<usize>().get()?),
        8 | 9 | 12..=NODE_LAST => Err(Code::NOT_SUPPORTED),
        _ => Err(Code::INVALID_VALUE),
    }
}
