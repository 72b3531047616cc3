//! Channel descriptions of arrays.

use crate::format::Channels;
use std::ffi::c_int;

/// Returns the arguments as a structure.
#[unsafe(export_name = "gevt_cudaCreateChannelDesc")]
extern "C" fn cudaCreateChannelDesc(x: c_int, y: c_int, z: c_int, w: c_int, kind: c_int) -> Channels {
    Channels { bits: [x, y, z, w], kind }
}
