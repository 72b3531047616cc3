//! Stream memory operations: waits for words of memory, and writes.

use crate::boundary::{StreamArg, exports};
use crate::code::{Code, Result};
use crate::submit::submit;
use crate::word::{Condition, DeviceWord, WordWait};
use crate::work::Work;

/// CU_STREAM_WAIT_VALUE_FLUSH. The device attributes report that it is not supported.
const WAIT_AND_FLUSH: u32 = 1 << 30;
/// CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER. Only the first form of the functions has it.
const NO_BARRIER: u32 = 1;

fn wait(stream: StreamArg, word: Result<DeviceWord>, value: u64, flags: u32) -> Result {
    let condition = Condition::new(flags & !WAIT_AND_FLUSH).ok_or(Code::INVALID_VALUE)?;
    let word = word?;
    if flags & WAIT_AND_FLUSH != 0 {
        return Err(Code::NOT_SUPPORTED);
    }
    submit(stream.get()?, Work::WaitFor(WordWait { word, condition, value }))
}

fn write(stream: StreamArg, word: Result<DeviceWord>, value: u64, has_unknown_flags: bool) -> Result {
    if has_unknown_flags { Err(Code::INVALID_VALUE) } else { submit(stream.get()?, Work::Write(word?, value)) }
}

exports! { driver;
    fn cuStreamWaitValue32 = cuStreamWaitValue32_v2(stream: StreamArg, address: usize, value: u32, flags: u32) on stream {
        wait(stream, DeviceWord::new(address, false), value.into(), flags)
    }
    fn cuStreamWaitValue64 = cuStreamWaitValue64_v2(stream: StreamArg, address: usize, value: u64, flags: u32) on stream {
        wait(stream, DeviceWord::new(address, true), value, flags)
    }
    fn cuStreamWriteValue32(stream: StreamArg, address: usize, value: u32, flags: u32) on stream {
        write(stream, DeviceWord::new(address, false), value.into(), flags & !NO_BARRIER != 0)
    }
    fn cuStreamWriteValue32_v2(stream: StreamArg, address: usize, value: u32, flags: u32) on stream {
        write(stream, DeviceWord::new(address, false), value.into(), flags != 0)
    }
    fn cuStreamWriteValue64(stream: StreamArg, address: usize, value: u64, flags: u32) on stream {
        write(stream, DeviceWord::new(address, true), value, flags & !NO_BARRIER != 0)
    }
    fn cuStreamWriteValue64_v2(stream: StreamArg, address: usize, value: u64, flags: u32) on stream {
        write(stream, DeviceWord::new(address, true), value, flags != 0)
    }
}
