//! Forms of advice whose arguments differ between CUDA 12 and 13: a device's number, or a place.

use super::needed::is_twelve;
use crate::advice;
use crate::both::advice::prefetch;
use crate::boundary::{StreamArg, exports};
use crate::code::{Code, Result};
use crate::pool::Location;

/// Reads the argument as the caller's release passes it.
fn place(word: u64) -> Location {
    if is_twelve() {
        return Location::of_device(word as u32 as i32);
    }
    Location { kind: word as u32 as i32, id: (word >> 32) as u32 as i32 }
}

/// In CUDA 12 the stream stands where 13 has flags.
fn start(address: usize, len: usize, to: u64, fourth: usize, stream: StreamArg) -> Result {
    if !is_twelve() && fourth as u32 != 0 {
        return Err(Code::INVALID_VALUE);
    }
    prefetch(address, len, place(to), stream)
}

fn stream_of(fourth: usize, fifth: StreamArg) -> StreamArg {
    if is_twelve() { StreamArg(fourth) } else { fifth }
}

exports! { inside;
    fn cudaMemAdvise(address: usize, len: usize, advice: i32, at: u64) {
        advice::advise(address, len, advice, place(at))
    }
    fn cudaMemPrefetchAsync(address: usize, len: usize, to: u64, fourth: usize, fifth: StreamArg) {
        start(address, len, to, fourth, stream_of(fourth, fifth))
    }
    fn cudaMemPrefetchAsync_ptsz(address: usize, len: usize, to: u64, fourth: usize, fifth: StreamArg) {
        start(address, len, to, fourth, stream_of(fourth, fifth).per_thread())
    }
}
