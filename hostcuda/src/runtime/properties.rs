//! Device properties, whose layout differs between CUDA 12 and 13.

use crate::boundary::{Out, exports};
use crate::code::Result;
use crate::device::{self, ATTRIBUTES};

/// The size of cudaDeviceProp in CUDA 12 and 13.
const SIZES: [usize; 2] = [1032, 1008];

/// Writes cudaDeviceProp; `form` is 0 for CUDA 12 and 1 for 13.
fn write(to: Out<u8>, form: usize, number: i32) -> Result {
    to.check()?;
    let mut bytes = [0; SIZES[0]];
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(0, device::name(device::check(number)?).as_bytes());
    put(256, &device::uuid(number));
    put(288, &device::total_memory().to_ne_bytes());
    for attribute in ATTRIBUTES {
        if let Some(at) = attribute.places[form] {
            // Little-endian, like all machines that run CUDA.
            put(at, &(attribute.of(number)? as usize).to_le_bytes()[..attribute.bytes]);
        }
    }
    bytes[..SIZES[form]].iter().enumerate().try_for_each(|(at, byte)| to.at(at).set(*byte))
}

exports! { runtime;
    fn cudaGetDeviceProperties(to: Out<u8>, number: i32) { write(to, 1, number) }
    fn cudaGetDeviceProperties_v2(to: Out<u8>, number: i32) { write(to, 0, number) }
}
