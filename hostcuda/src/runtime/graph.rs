//! Forms that only the runtime API has, or whose arguments differ between CUDA 12 and 13.

use super::needed::is_twelve;
use crate::both::capture::update_ends;
use crate::both::graph::make;
use crate::boundary::{Out, StreamArg, exports};
use crate::handle::Handle;

exports! { inside;
    fn cudaGraphInstantiate(to: Out<Handle>, handle: Handle, flags: u64) {
        make(to, handle, flags)
    }
    fn cudaStreamUpdateCaptureDependencies | cudaStreamUpdateCaptureDependencies_ptsz
        (stream: StreamArg, nodes: Out<Handle>, third: usize, fourth: usize, fifth: u32) on stream {
        match is_twelve() {
            true => update_ends(stream, nodes, Out::NONE, third, fourth as u32),
            false => update_ends(stream, nodes, Out::at_address(third), fourth, fifth),
        }
    }
}
