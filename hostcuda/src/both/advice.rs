//! Advice about where memory should be, and how streams use managed memory.

use crate::advice;
use crate::block;
use crate::boundary::{Out, StreamArg, exports};
use crate::capture;
use crate::code::{Code, Result};
use crate::pool::Location;

/// Succeeds like memory work in the stream that has no effect.
pub(crate) fn prefetch(address: usize, len: usize, to: Location, stream: StreamArg) -> Result {
    let stream = stream.get()?;
    advice::prefetch(address, len, to)?;
    capture::check_uncaptured(stream)
}

/// Writes an attribute of `size` bytes.
fn write(to: Out<i32>, size: usize, number: u32, address: usize, len: usize) -> Result {
    to.check()?;
    if size == 0 || !size.is_multiple_of(4) || number != 3 && size != 4 {
        return Err(Code::INVALID_VALUE);
    }
    let values = advice::attribute(address, len, number)?;
    let value = |at: usize| values.get(at).or(values.last()).copied().unwrap_or(0);
    (0..size / 4).try_for_each(|at| to.at(at).set(value(at)))
}

exports! { driver, inside;
    fn cuMemRangeGetAttribute = cudaMemRangeGetAttribute(to: Out<i32>, size: usize, number: u32, address: usize, len: usize) {
        write(to, size, number, address, len)
    }
    fn cuMemRangeGetAttributes = cudaMemRangeGetAttributes
        (to: Out<Out<i32>>, sizes: Out<usize>, numbers: Out<u32>, count: usize, address: usize, len: usize) {
        if count == 0 {
            return Err(Code::INVALID_VALUE);
        }
        (0..count).try_for_each(|at| write(to.at(at).get()?, sizes.at(at).get()?, numbers.at(at).get()?, address, len))
    }
    fn cuMemAdvise_v2 = cudaMemAdvise_v2(address: usize, len: usize, advice: i32, at: Location) {
        advice::advise(address, len, advice, at)
    }
    fn cuMemPrefetchAsync_v2 | cuMemPrefetchAsync_v2_ptsz = cudaMemPrefetchAsync_v2 | cudaMemPrefetchAsync_v2_ptsz
        (address: usize, len: usize, to: Location, flags: u32, stream: StreamArg) on stream {
        if flags != 0 { Err(Code::INVALID_VALUE) } else { prefetch(address, len, to, stream) }
    }
    /// Flags: 1 for all streams, 2 for the host, 4 for one stream.
    fn cuStreamAttachMemAsync | cuStreamAttachMemAsync_ptsz = cudaStreamAttachMemAsync | cudaStreamAttachMemAsync_ptsz
        (stream: StreamArg, address: usize, len: usize, flags: u32) on stream {
        let stream = stream.get()?;
        let block = block::find(address).filter(|block| block.is_managed() && matches!(flags, 1 | 2 | 4));
        block.filter(|block| len == 0 || address == block.start && len == block.len).ok_or(Code::INVALID_VALUE)?;
        capture::check_uncaptured(stream)
    }
}

exports! { driver;
    fn cuMemAdvise(address: usize, len: usize, advice: i32, device: i32) {
        advice::advise(address, len, advice, Location::of_device(device))
    }
    fn cuMemPrefetchAsync | cuMemPrefetchAsync_ptsz(address: usize, len: usize, device: i32, stream: StreamArg) on stream {
        prefetch(address, len, Location::of_device(device), stream)
    }
}
