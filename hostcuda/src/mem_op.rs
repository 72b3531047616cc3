//! Stream memory operations: waits for words, and writes.

use crate::code::{Code, Result};
use crate::poller;
use crate::stream::Stream;
use crate::word::{Condition, DeviceWord, WordWait};

/// CU_STREAM_WAIT_VALUE_FLUSH. The device attributes report that it is not supported.
const WAIT_AND_FLUSH: u32 = 1 << 30;
/// CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER.
const NO_BARRIER: u32 = 1;

#[derive(Clone, Copy)]
pub(crate) enum MemOp {
    Wait(WordWait),
    Write(DeviceWord, u64),
}

impl MemOp {
    /// A wait for a word of 4 or 8 bytes.
    pub(crate) fn wait(address: usize, value: u64, flags: u32, is_wide: bool) -> Result<MemOp> {
        let condition = Condition::new(flags & !WAIT_AND_FLUSH).ok_or(Code::INVALID_VALUE)?;
        let word = DeviceWord::new(address, is_wide)?;
        let flushes = flags & WAIT_AND_FLUSH != 0;
        if flushes { Err(Code::NOT_SUPPORTED) } else { Ok(MemOp::Wait(WordWait { word, condition, value })) }
    }

    /// A write. Only the first form of the functions has the flag that omits the barrier.
    pub(crate) fn write(address: usize, value: u64, flags: u32, is_wide: bool, is_first_form: bool) -> Result<MemOp> {
        if flags & !if is_first_form { NO_BARRIER } else { 0 } != 0 {
            return Err(Code::INVALID_VALUE);
        }
        Ok(MemOp::Write(DeviceWord::new(address, is_wide)?, value))
    }

    /// Submits the operation to a stream that is not being captured.
    pub(crate) fn give(self, stream: &'static Stream) -> Result {
        stream.raw_with_room()?;
        match self {
            MemOp::Wait(wait) => poller::give(stream.context()?.core, stream.core(), wait),
            MemOp::Write(word, value) => Ok(stream.core().launch(move || {
                word.store(value);
                poller::look_now();
            })?),
        }
    }
}
