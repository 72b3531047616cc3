//! Descriptions of textures' elements.

use std::ffi::c_int;

/// cudaChannelFormatDesc.
#[repr(C)]
pub(crate) struct Channel {
    bits: [c_int; 4],
    kind: c_int,
}

/// Puts together what it is given; textures themselves are not served.
#[unsafe(no_mangle)]
extern "C" fn cudaCreateChannelDesc(x: c_int, y: c_int, z: c_int, w: c_int, kind: c_int) -> Channel {
    Channel { bits: [x, y, z, w], kind }
}
