//! Arrays: levels, and what is known of them.

use crate::array;
use crate::boundary::{Out, exports};
use crate::code::Code;
use crate::handle::Handle;

/// CUDA_ARRAY_MEMORY_REQUIREMENTS.
#[repr(C)]
#[derive(Clone, Copy)]
struct Requirements {
    size: usize,
    alignment: usize,
    reserved: [u32; 4],
}

exports! { driver, inside;
    fn cuMipmappedArrayGetLevel = cudaGetMipmappedArrayLevel(to: Out<Handle>, levels: Handle, level: u32) {
        to.check()?.set(array::level(levels, level)?)
    }
    /// Only arrays whose memory comes later have such requirements, and they are not served.
    fn cuArrayGetMemoryRequirements = cudaArrayGetMemoryRequirements(to: Out<Requirements>, of: Handle) {
        to.check()?;
        array::get(of)?;
        Err(Code::INVALID_VALUE)
    }
    /// No array is sparse.
    fn cuArrayGetSparseProperties = cudaArrayGetSparseProperties(to: Out<u32>, of: Handle) {
        to.check()?;
        array::get(of)?;
        Err(Code::INVALID_VALUE)
    }
    /// No array has planes.
    fn cuArrayGetPlane = cudaArrayGetPlane(to: Out<Handle>, of: Handle, _plane: u32) {
        to.check()?;
        array::get(of)?;
        Err(Code::INVALID_VALUE)
    }
}
