//! Memory advice in CUDA 13's form: with a location instead of a device number.

use crate::advice;
use crate::boundary::{StreamArg, exports};
use crate::code::Code;
use crate::driver::advice::prefetch;
use crate::pool::Location;

exports! { inside;
    fn cudaMemAdvise(address: usize, len: usize, advice: i32, at: Location) {
        advice::advise(address, len, advice, at)
    }
    fn cudaMemPrefetchAsync | cudaMemPrefetchAsync_ptsz(address: usize, len: usize, to: Location, flags: u32, stream: StreamArg) on stream {
        if flags != 0 { Err(Code::INVALID_VALUE) } else { prefetch(address, len, to, stream) }
    }
}
