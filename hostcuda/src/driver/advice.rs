//! Memory advice, and how streams use managed memory.

use crate::boundary::{StreamArg, exports};
use crate::code::{Code, Result};
use crate::pool::Location;
use crate::{advice, block, capture};

/// Checks a prefetch like memory work in the stream. It has no effect.
pub(crate) fn prefetch(address: usize, len: usize, to: Location, stream: StreamArg) -> Result {
    let stream = stream.get()?;
    advice::prefetch(address, len, to)?;
    capture::check_uncaptured(stream)
}

exports! { driver, inside;
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

// CUDA 12 has these forms under the plain names.
exports! { driver, inside_12;
    fn cuMemAdvise = cudaMemAdvise(address: usize, len: usize, advice: i32, device: i32) {
        advice::advise(address, len, advice, Location::of_device(device))
    }
    fn cuMemPrefetchAsync | cuMemPrefetchAsync_ptsz = cudaMemPrefetchAsync | cudaMemPrefetchAsync_ptsz
        (address: usize, len: usize, device: i32, stream: StreamArg) on stream {
        prefetch(address, len, Location::of_device(device), stream)
    }
}
