//! Device variables, named by their shadow variables in the host code.

use super::copy::{bytes, bytes_async};
use crate::boundary::{Out, StreamArg, exports};
use crate::code::{Code, Result};
use crate::kernel::find_variable;

/// Copy kinds, as CUDA numbers them.
const TO: u32 = 1;
const FROM: u32 = 2;
const WITHIN: u32 = 3;
const ANY: u32 = 4;

/// Returns the address of a part of a variable.
fn address(symbol: usize, len: usize, offset: usize) -> Result<usize> {
    let variable = find_variable(symbol)?;
    let end = offset.checked_add(len).filter(|end| *end <= variable.len).ok_or(Code::INVALID_VALUE)?;
    Ok(variable.address + (end - len))
}

/// Refuses a copy kind of the other direction. The addresses decide what is copied, because a managed variable is not device memory.
fn check(kind: u32, allowed: u32) -> Result<u32> {
    if matches!(kind, WITHIN | ANY) || kind == allowed { Ok(ANY) } else { Err(Code::INVALID_MEMCPY_DIRECTION) }
}

exports! { inside;
    fn cudaGetSymbolAddress(to: Out<usize>, symbol: usize) { to.check()?.set(find_variable(symbol)?.address) }
    fn cudaGetSymbolSize(to: Out<usize>, symbol: usize) { to.check()?.set(find_variable(symbol)?.len) }
    fn cudaMemcpyToSymbol(symbol: usize, from: usize, len: usize, offset: usize, kind: u32) at stream {
        bytes(address(symbol, len, offset)?, from, len, check(kind, TO)?, stream)
    }
    fn cudaMemcpyFromSymbol(to: usize, symbol: usize, len: usize, offset: usize, kind: u32) at stream {
        bytes(to, address(symbol, len, offset)?, len, check(kind, FROM)?, stream)
    }
    fn cudaMemcpyToSymbolAsync(symbol: usize, from: usize, len: usize, offset: usize, kind: u32, stream: StreamArg) on stream {
        bytes_async(address(symbol, len, offset)?, from, len, check(kind, TO)?, stream)
    }
    fn cudaMemcpyFromSymbolAsync(to: usize, symbol: usize, len: usize, offset: usize, kind: u32, stream: StreamArg) on stream {
        bytes_async(to, address(symbol, len, offset)?, len, check(kind, FROM)?, stream)
    }
}
