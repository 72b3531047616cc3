//! Arrays in the runtime API.

use super::memory::Extent;
use crate::array::{self, Array, Shape};
use crate::boundary::{Out, exports};
use crate::code::{Code, Result};
use crate::context;
use crate::format::Channels;
use crate::handle::Handle;

fn shape(format: Out<Channels>, extent: Extent, flags: u32) -> Result<Shape> {
    let Extent { width, height, depth } = extent;
    Ok(Shape { format: format.get()?.format()?, width, height, depth, flags })
}

fn extent(array: &Array) -> Extent {
    let Shape { width, height, depth, .. } = array.shape;
    Extent { width, height, depth }
}

exports! { inside;
    fn cudaMallocArray(to: Out<Handle>, format: Out<Channels>, width: usize, height: usize, flags: u32) {
        to.check()?;
        let shape = shape(format, Extent { width, height, depth: 0 }, flags)?;
        to.set(array::create(context::current()?, shape)?)
    }
    fn cudaMalloc3DArray(to: Out<Handle>, format: Out<Channels>, extent: Extent, flags: u32) {
        to.check()?;
        to.set(array::create(context::current()?, shape(format, extent, flags)?)?)
    }
    fn cudaFreeArray(of: Handle) {
        if of == 0 { Ok(()) } else { array::destroy(of) }
    }
    fn cudaArrayGetInfo(format: Out<Channels>, size: Out<Extent>, flags: Out<u32>, of: Handle) {
        let array = array::get(of)?;
        format.offer(Channels::of(array.shape.format));
        size.offer(extent(&array));
        flags.offer(array.shape.flags);
        Ok(())
    }
    fn cudaGetChannelDesc(format: Out<Channels>, of: Handle) {
        format.check()?.set(Channels::of(array::get(of).map_err(|_| Code::INVALID_VALUE)?.shape.format))
    }
}
