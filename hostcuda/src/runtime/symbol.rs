//! Device variables, named by their shadow variables in the host code.

use super::copy::sides;
use crate::boundary::{Out, StreamArg, exports};
use crate::code::{Code, Result};
use crate::kernel::find_variable;
use crate::memory;
use crate::transfer::{Side, Transfer};

/// Copy kinds, as CUDA numbers them.
pub(super) const TO: u32 = 1;
pub(super) const FROM: u32 = 2;
const WITHIN: u32 = 3;
const ANY: u32 = 4;

/// Returns the address of a part of a variable.
pub(super) fn part(symbol: usize, len: usize, offset: usize) -> Result<usize> {
    let variable = find_variable(symbol)?;
    let end = offset.checked_add(len).filter(|end| *end <= variable.len).ok_or(Code::INVALID_VALUE)?;
    Ok(variable.address + (end - len))
}

/// Returns a copy to or from a variable. Either end may be outside the listed blocks.
pub(super) fn copy(to: usize, from: usize, len: usize, kind: u32, allowed: u32) -> Result<(Transfer, Side, Side)> {
    if !matches!(kind, WITHIN | ANY) && kind != allowed {
        return Err(Code::INVALID_MEMCPY_DIRECTION);
    }
    let (to_side, from_side) = sides(if kind == WITHIN { ANY } else { kind })?;
    let (to_side, from_side) = if allowed == TO { (Side::Any, from_side) } else { (to_side, Side::Any) };
    Ok((Transfer::line(to, from, len), to_side, from_side))
}

exports! { inside;
    fn cudaGetSymbolAddress(to: Out<usize>, symbol: usize) {
        to.check()?.set(find_variable(symbol)?.address)
    }
    fn cudaGetSymbolSize(to: Out<usize>, symbol: usize) {
        to.check()?.set(find_variable(symbol)?.len)
    }
    fn cudaMemcpyToSymbol(symbol: usize, from: usize, len: usize, offset: usize, kind: u32) at stream {
        let (transfer, to, from) = copy(part(symbol, len, offset)?, from, len, kind, TO)?;
        memory::finish(stream.get()?, transfer, to, from)
    }
    fn cudaMemcpyFromSymbol(to: usize, symbol: usize, len: usize, offset: usize, kind: u32) at stream {
        let (transfer, to, from) = copy(to, part(symbol, len, offset)?, len, kind, FROM)?;
        memory::finish(stream.get()?, transfer, to, from)
    }
    fn cudaMemcpyToSymbolAsync(symbol: usize, from: usize, len: usize, offset: usize, kind: u32, stream: StreamArg) on stream {
        let (transfer, to, from) = copy(part(symbol, len, offset)?, from, len, kind, TO)?;
        memory::start(stream.get()?, transfer, to, from)
    }
    fn cudaMemcpyFromSymbolAsync(to: usize, symbol: usize, len: usize, offset: usize, kind: u32, stream: StreamArg) on stream {
        let (transfer, to, from) = copy(to, part(symbol, len, offset)?, len, kind, FROM)?;
        memory::start(stream.get()?, transfer, to, from)
    }
}
