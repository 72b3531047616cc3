//! Memory advice, which is accepted and has no effect.

use crate::boundary::{StreamArg, exports};
use crate::capture;
use crate::code::{Code, Result};
use crate::pool::Location;

fn accept(stream: StreamArg) -> Result {
    capture::check_uncaptured(stream.get()?)
}

exports! { driver, inside;
    fn cuMemAdvise_v2 = cudaMemAdvise_v2, cudaMemAdvise(_address: usize, _len: usize, _advice: i32, _at: Location) { Ok(()) }
    fn cuMemPrefetchAsync_v2
        = cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync
        (_address: usize, _len: usize, _to: Location, flags: u32, stream: StreamArg) on stream {
        if flags != 0 { Err(Code::INVALID_VALUE) } else { accept(stream) }
    }
}

// CUDA 12 has these forms under the plain names.
exports! { driver, inside_12;
    fn cuMemAdvise = cudaMemAdvise(_address: usize, _len: usize, _advice: i32, _device: i32) { Ok(()) }
    fn cuMemPrefetchAsync = cudaMemPrefetchAsync(_address: usize, _len: usize, _device: i32, stream: StreamArg) on stream { accept(stream) }
}
