//! Stream memory operations.

use crate::boundary::{StreamArg, exports};
use crate::mem_op::MemOp;
use crate::submit::operate;

exports! { driver;
    fn cuStreamWaitValue32 = cuStreamWaitValue32_v2(stream: StreamArg, address: usize, value: u32, flags: u32) on stream {
        operate(stream.get()?, MemOp::wait(address, value.into(), flags, false)?)
    }
    fn cuStreamWaitValue64 = cuStreamWaitValue64_v2(stream: StreamArg, address: usize, value: u64, flags: u32) on stream {
        operate(stream.get()?, MemOp::wait(address, value, flags, true)?)
    }
    fn cuStreamWriteValue32(stream: StreamArg, address: usize, value: u32, flags: u32) on stream {
        operate(stream.get()?, MemOp::write(address, value.into(), flags, false, true)?)
    }
    fn cuStreamWriteValue32_v2(stream: StreamArg, address: usize, value: u32, flags: u32) on stream {
        operate(stream.get()?, MemOp::write(address, value.into(), flags, false, false)?)
    }
    fn cuStreamWriteValue64(stream: StreamArg, address: usize, value: u64, flags: u32) on stream {
        operate(stream.get()?, MemOp::write(address, value, flags, true, true)?)
    }
    fn cuStreamWriteValue64_v2(stream: StreamArg, address: usize, value: u64, flags: u32) on stream {
        operate(stream.get()?, MemOp::write(address, value, flags, true, false)?)
    }
}
