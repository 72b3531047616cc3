//! Operations on memory in the order of streams, and as nodes of graphs.

use crate::both::exec;
use crate::both::node::{self, Place};
use crate::both::node_params::BatchParams;
use crate::boundary::{Out, StreamArg, exports, list};
use crate::code::{Code, Result};
use crate::graph;
use crate::handle::Handle;
use crate::mem_op::{self, MemOpParams};
use crate::submit::operate;

fn one(stream: StreamArg, params: MemOpParams, is_first_form: bool) -> Result {
    operate(stream.get()?, vec![params], is_first_form)
}

fn batch(stream: StreamArg, count: u32, params: Out<MemOpParams>, flags: u32, is_first_form: bool) -> Result {
    let stream = stream.get()?;
    if flags != 0 {
        return Err(Code::INVALID_VALUE);
    }
    mem_op::check_count(count)?;
    operate(stream, list::read(params, count as usize)?, is_first_form)
}

exports! { driver;
    fn cuStreamWaitValue32 | cuStreamWaitValue32_ptsz(stream: StreamArg, address: usize, value: u32, flags: u32) on stream {
        one(stream, MemOpParams::wait(address, value.into(), flags, false), true)
    }
    fn cuStreamWaitValue32_v2 | cuStreamWaitValue32_v2_ptsz(stream: StreamArg, address: usize, value: u32, flags: u32) on stream {
        one(stream, MemOpParams::wait(address, value.into(), flags, false), false)
    }
    fn cuStreamWaitValue64 | cuStreamWaitValue64_ptsz(stream: StreamArg, address: usize, value: u64, flags: u32) on stream {
        one(stream, MemOpParams::wait(address, value, flags, true), true)
    }
    fn cuStreamWaitValue64_v2 | cuStreamWaitValue64_v2_ptsz(stream: StreamArg, address: usize, value: u64, flags: u32) on stream {
        one(stream, MemOpParams::wait(address, value, flags, true), false)
    }
    fn cuStreamWriteValue32 | cuStreamWriteValue32_ptsz(stream: StreamArg, address: usize, value: u32, flags: u32) on stream {
        one(stream, MemOpParams::write(address, value.into(), flags, false), true)
    }
    fn cuStreamWriteValue32_v2 | cuStreamWriteValue32_v2_ptsz(stream: StreamArg, address: usize, value: u32, flags: u32) on stream {
        one(stream, MemOpParams::write(address, value.into(), flags, false), false)
    }
    fn cuStreamWriteValue64 | cuStreamWriteValue64_ptsz(stream: StreamArg, address: usize, value: u64, flags: u32) on stream {
        one(stream, MemOpParams::write(address, value, flags, true), true)
    }
    fn cuStreamWriteValue64_v2 | cuStreamWriteValue64_v2_ptsz(stream: StreamArg, address: usize, value: u64, flags: u32) on stream {
        one(stream, MemOpParams::write(address, value, flags, true), false)
    }
    fn cuStreamBatchMemOp | cuStreamBatchMemOp_ptsz(stream: StreamArg, count: u32, params: Out<MemOpParams>, flags: u32) on stream {
        batch(stream, count, params, flags, true)
    }
    fn cuStreamBatchMemOp_v2 | cuStreamBatchMemOp_v2_ptsz(stream: StreamArg, count: u32, params: Out<MemOpParams>, flags: u32) on stream {
        batch(stream, count, params, flags, false)
    }
    fn cuGraphAddBatchMemOpNode(to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, params: Out<BatchParams>) {
        node::add(to, Place { graph, behind, count }, || params.get()?.step())
    }
    fn cuGraphBatchMemOpNodeGetParams(node: Handle, to: Out<BatchParams>) {
        to.check()?.set(graph::find(node, |node| BatchParams::of(&node.step))?)
    }
    fn cuGraphBatchMemOpNodeSetParams(node: Handle, params: Out<BatchParams>) {
        node::set_step(node, params.get()?.step()?)
    }
    fn cuGraphExecBatchMemOpNodeSetParams(executable: Handle, node: Handle, params: Out<BatchParams>) {
        exec::set_step(executable, node, params.get()?.step()?)
    }
}
