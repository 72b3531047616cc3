//! The parameters of a node of any type, as one structure.

use crate::boundary::Out;
use crate::code::{Code, Result};
use crate::driver::kernel_node::KernelParams;
use crate::driver::node;
use crate::driver::node::{AllocParams, HostParams, MemsetParams};
use crate::graph::Step;
use crate::handle::Handle;
use cuda_abi::{GraphNodeParams, NODE_LAST};

/// The offset of the parameters, and the offset of a copy in its parameters.
const OFFSET: usize = 16;

/// Same as [`step`], for an existing node. It cannot become a memory node.
pub(crate) fn other_step(
    graph: Handle,
    params: Out<GraphNodeParams>,
    copy: impl FnOnce(Out<u8>) -> Result<Step>,
) -> Result<Step> {
    if matches!(params.get()?.kind, 10 | 11) { Err(Code::INVALID_VALUE) } else { step(graph, params, copy) }
}

/// Returns the described step for a node of the graph. `copy` reads a copy, whose structure differs between the two APIs.
pub(crate) fn step(
    graph: Handle,
    params: Out<GraphNodeParams>,
    copy: impl FnOnce(Out<u8>) -> Result<Step>,
) -> Result<Step> {
    let given = params.get()?;
    if given.reserved != [0; 3] {
        return Err(Code::INVALID_VALUE);
    }
    let bytes = params.cast::<u8>().at(OFFSET);
    match given.kind {
        0 => bytes.cast::<KernelParams>().get()?.step(),
        1 => copy(bytes.at(OFFSET)),
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
