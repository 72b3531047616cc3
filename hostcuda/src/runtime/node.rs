//! Copy nodes, whose structures differ from the driver's.

use super::copy::{Memcpy3DParms, line};
use crate::boundary::{Out, exports, through};
use crate::code::Result;
use crate::context;
use crate::driver::copy::Memcpy3d;
use crate::handle::Handle;

fn add(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, copy: Result<Memcpy3d>) -> Result {
    let (copy, context) = (&copy?, context::current()?.handle());
    through!(cuGraphAddMemcpyNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, copy: &Memcpy3d, context: Handle))
}

fn set(node: Handle, copy: Result<Memcpy3d>) -> Result {
    let copy = &copy?;
    through!(cuGraphMemcpyNodeSetParams(node: Handle, copy: &Memcpy3d))
}

fn set_exec(executable: Handle, node: Handle, copy: Result<Memcpy3d>) -> Result {
    let (copy, context) = (&copy?, context::current()?.handle());
    through!(cuGraphExecMemcpyNodeSetParams(executable: Handle, node: Handle, copy: &Memcpy3d, context: Handle))
}

fn shaped(params: Out<Memcpy3DParms>) -> Result<Memcpy3d> {
    params.get()?.driver()
}

exports! { inside;
    fn cudaGraphAddMemcpyNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, params: Out<Memcpy3DParms>) {
        add(to, graph, behind, count, shaped(params))
    }
    fn cudaGraphMemcpyNodeGetParams(node: Handle, to: Out<Memcpy3DParms>) {
        let mut copy = std::mem::MaybeUninit::<Memcpy3d>::zeroed();
        let place = Out::of(&mut copy).cast::<Memcpy3d>();
        through!(cuGraphMemcpyNodeGetParams(node: Handle, place: Out<Memcpy3d>))?;
        to.set(Memcpy3DParms::of(&place.get()?))
    }
    fn cudaGraphMemcpyNodeSetParams(node: Handle, params: Out<Memcpy3DParms>) { set(node, shaped(params)) }
    fn cudaGraphExecMemcpyNodeSetParams(executable: Handle, node: Handle, params: Out<Memcpy3DParms>) { set_exec(executable, node, shaped(params)) }
    fn cudaGraphAddMemcpyNode1D(node: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, to: usize, from: usize, len: usize, kind: u32) {
        add(node, graph, behind, count, line(to, from, len, kind))
    }
    fn cudaGraphMemcpyNodeSetParams1D(node: Handle, to: usize, from: usize, len: usize, kind: u32) { set(node, line(to, from, len, kind)) }
    fn cudaGraphExecMemcpyNodeSetParams1D(executable: Handle, node: Handle, to: usize, from: usize, len: usize, kind: u32) {
        set_exec(executable, node, line(to, from, len, kind))
    }
}
