//! Channel descriptions of arrays.

use std::ffi::c_int;

/// cudaChannelFormatDesc: the bits of each channel, and the kind.
#[repr(C)]
struct Channels {
    bits: [c_int; 4],
    kind: c_int,
}

/// Returns the arguments as a structure.
#[unsafe(export_name = "gevt_cudaCreateChannelDesc")]
extern "C" fn cudaCreateChannelDesc(x: c_int, y: c_int, z: c_int, w: c_int, kind: c_int) -> Channels {
    Channels { bits: [x, y, z, w], kind }
}
