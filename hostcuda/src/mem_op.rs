//! Batches of operations on memory that streams do in order: waits for words, and writes.

use crate::code::{Code, Result};
use crate::context;
use crate::handle::Handle;
use crate::poller;
use crate::stream::Stream;
use crate::word::{Condition, DeviceWord, WordWait};

/// CUstreamBatchMemOpParams. For what has no address, `own_flags` are the flags.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct MemOpParams {
    kind: u32,
    own_flags: u32,
    address: usize,
    value: u64,
    flags: u32,
    alias: u64,
    rest: u64,
}

const WAIT_32: u32 = 1;
const WRITE_32: u32 = 2;
const FLUSH: u32 = 3;
const WAIT_64: u32 = 4;
const WRITE_64: u32 = 5;
const BARRIER: u32 = 6;
const REDUCTION: u32 = 8;

/// CU_STREAM_WAIT_VALUE_FLUSH, which the devices' attributes say they cannot.
const WAIT_AND_FLUSH: u32 = 1 << 30;
/// CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER.
const NO_BARRIER: u32 = 1;
/// There are fewer operations in a batch.
const MOST: u32 = 256;

/// An operation.
#[derive(Clone, Copy)]
enum MemOp {
    Wait(WordWait),
    Write(DeviceWord, u64),
    Barrier,
}

/// Operations, and how they were described.
pub(crate) struct MemOps {
    ops: Vec<MemOp>,
    pub(crate) params: Vec<MemOpParams>,
    /// The context that a node names.
    pub(crate) context: Handle,
}

impl MemOpParams {
    pub(crate) fn wait(address: usize, value: u64, flags: u32, is_wide: bool) -> MemOpParams {
        MemOpParams::new(if is_wide { WAIT_64 } else { WAIT_32 }, address, value, flags)
    }

    pub(crate) fn write(address: usize, value: u64, flags: u32, is_wide: bool) -> MemOpParams {
        MemOpParams::new(if is_wide { WRITE_64 } else { WRITE_32 }, address, value, flags)
    }

    fn new(kind: u32, address: usize, value: u64, flags: u32) -> MemOpParams {
        MemOpParams { kind, own_flags: 0, address, value, flags, alias: 0, rest: 0 }
    }

    fn read(&self, is_first_form: bool) -> Result<MemOp> {
        let is_wide = matches!(self.kind, WAIT_64 | WRITE_64);
        let value = if is_wide { self.value } else { self.value as u32 as u64 };
        match self.kind {
            WAIT_32 | WAIT_64 => {
                let condition = Condition::new(self.flags & !WAIT_AND_FLUSH).ok_or(Code::INVALID_VALUE)?;
                let word = DeviceWord::new(self.address, is_wide)?;
                let flushes = self.flags & WAIT_AND_FLUSH != 0;
                if flushes { Err(Code::NOT_SUPPORTED) } else { Ok(MemOp::Wait(WordWait { word, condition, value })) }
            }
            WRITE_32 | WRITE_64 if self.flags & !if is_first_form { NO_BARRIER } else { 0 } != 0 => {
                Err(Code::INVALID_VALUE)
            }
            WRITE_32 | WRITE_64 => Ok(MemOp::Write(DeviceWord::new(self.address, is_wide)?, value)),
            BARRIER if !is_first_form && self.own_flags <= 1 => Ok(MemOp::Barrier),
            FLUSH | REDUCTION => Err(Code::NOT_SUPPORTED),
            _ => Err(Code::INVALID_VALUE),
        }
    }
}

/// Refuses more operations than a batch has.
pub(crate) fn check_count(count: u32) -> Result {
    if count < MOST { Ok(()) } else { Err(Code::INVALID_VALUE) }
}

impl MemOps {
    /// Checks the operations; `is_first_form` says that they came by the first form of the functions.
    pub(crate) fn new(params: Vec<MemOpParams>, context: Handle, is_first_form: bool) -> Result<MemOps> {
        let ops = params.iter().map(|params| params.read(is_first_form)).collect::<Result<_>>()?;
        Ok(MemOps { ops, params, context })
    }

    /// Checks a node's operations, in a context.
    pub(crate) fn for_node(params: Vec<MemOpParams>, handle: Handle) -> Result<MemOps> {
        context::get(handle)?;
        if params.is_empty() {
            return Err(Code::INVALID_VALUE);
        }
        MemOps::new(params, handle, false)
    }

    /// Returns whether a graph that can be launched may do the others in the place of these: as many, of the same types.
    pub(crate) fn may_become(&self, other: &MemOps) -> bool {
        let kinds = |ops: &MemOps| ops.params.iter().map(|params| params.kind).collect::<Vec<_>>();
        self.context == other.context && kinds(self) == kinds(other)
    }

    /// Gives the operations to a stream that is not being captured.
    pub(crate) fn give(&self, stream: &'static Stream) -> Result {
        self.ops.iter().try_for_each(|op| {
            stream.raw_with_room()?;
            match *op {
                MemOp::Wait(wait) => poller::give(stream.context()?.core, stream.core(), wait),
                MemOp::Write(word, value) => Ok(stream.core().launch(move || {
                    word.store(value);
                    poller::look_now();
                })?),
                // Each piece of work sees what those before it did.
                MemOp::Barrier => Ok(()),
            }
        })
    }
}
