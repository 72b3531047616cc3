//! Memory sets in three dimensions.

use crate::boundary::{StreamArg, exports};
use crate::code::{Code, Result};
use crate::memory;
use crate::runtime::memory::{Extent, PitchedPtr};
use crate::transfer::{Region, Side, Source, Transfer};

fn transfer(to: PitchedPtr, value: i32, extent: Extent) -> Result<Transfer> {
    let Extent { width, height, depth } = extent;
    if (height > 1 || depth > 1) && to.pitch < width {
        return Err(Code::INVALID_VALUE);
    }
    let slice = to.pitch.checked_mul(to.height).ok_or(Code::INVALID_VALUE)?;
    let region = Region { address: to.address, pitch: to.pitch, slice };
    let from = Source::Value(u32::from(value as u8), 1);
    Ok(Transfer::new(region, from, width, height, depth).between(Side::Device, Side::Any))
}

exports! { inside;
    fn cudaMemset3D(to: PitchedPtr, value: i32, extent: Extent) at stream { memory::set(stream.get()?, transfer(to, value, extent)?) }
    fn cudaMemset3DAsync(to: PitchedPtr, value: i32, extent: Extent, stream: StreamArg) on stream {
        memory::start(stream.get()?, transfer(to, value, extent)?)
    }
}
