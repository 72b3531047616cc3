//! Device properties, whose layout differs between CUDA 12 and 13.

use crate::boundary::{Out, exports};
use crate::code::{Code, Result};
use crate::device;

/// Where the fields lie that differ; all before them are the same.
struct Layout {
    size: usize,
    /// Each with the number of the device attribute that fills it.
    fields: &'static [(usize, i32)],
}

const SAME: &[(usize, i32)] =
    &[(304, 12), (308, 10), (320, 1), (324, 2), (328, 3), (332, 4), (336, 5), (340, 6), (344, 7), (360, 75), (364, 76)];
const CUDA_12: Layout = Layout {
    size: 1032,
    fields: &[
        (388, 16),
        (400, 19),
        (576, 31),
        (584, 33),
        (588, 34),
        (592, 50),
        (600, 40),
        (604, 41),
        (612, 37),
        (624, 39),
        (628, 78),
        (652, 83),
        (672, 88),
        (676, 89),
        (684, 91),
        (728, 99),
        (744, 115),
    ],
};
const CUDA_13: Layout = Layout {
    size: 1008,
    fields: &[
        (384, 16),
        (392, 19),
        (560, 31),
        (568, 33),
        (572, 34),
        (576, 50),
        (584, 40),
        (588, 41),
        (592, 37),
        (604, 39),
        (608, 78),
        (636, 83),
        (652, 88),
        (656, 89),
        (664, 91),
        (704, 99),
        (720, 115),
    ],
};

fn properties(layout: &Layout, number: i32) -> Result<Vec<u8>> {
    let mut bytes = vec![0; layout.size];
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(0, device::name(device::check(number)?).as_bytes());
    put(256, &device::uuid(number));
    put(288, &device::memory().0.to_ne_bytes());
    put(296, &(device::attribute(8, number)? as usize).to_ne_bytes());
    put(312, &(device::attribute(11, number)? as usize).to_ne_bytes());
    put(352, &(device::attribute(9, number)? as usize).to_ne_bytes());
    put(368, &(device::attribute(14, number)? as usize).to_ne_bytes());
    for (at, attribute) in SAME.iter().chain(layout.fields) {
        put(*at, &device::attribute(*attribute, number)?.to_ne_bytes());
    }
    Ok(bytes)
}

fn write(to: Out<u8>, layout: &Layout, number: i32) -> Result {
    let to = to.check().map_err(|_| Code::INVALID_VALUE)?;
    properties(layout, number)?.into_iter().enumerate().try_for_each(|(at, byte)| to.at(at).set(byte))
}

exports! { runtime;
    fn cudaGetDeviceProperties(to: Out<u8>, number: i32) {
        write(to, &CUDA_13, number)
    }
    fn cudaGetDeviceProperties_v2(to: Out<u8>, number: i32) {
        write(to, &CUDA_12, number)
    }
}
