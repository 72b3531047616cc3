//! Device properties, whose layout differs between CUDA 12 and 13.

use crate::boundary::{Out, exports};
use crate::code::Result;
use crate::device;

/// The size of cudaDeviceProp in CUDA 12 and 13.
const SIZES: [usize; 2] = [1032, 1008];
/// Fields of type size_t: where they lie in CUDA 12 and 13, and the number of the device attribute that fills them.
const WIDE: &[([usize; 2], i32)] = &[
    ([296, 296], 8),
    ([312, 312], 11),
    ([352, 352], 9),
    ([368, 368], 14),
    ([376, 376], 51),
    ([568, 552], 30),
    ([640, 624], 81),
    ([696, 672], 97),
    ([720, 696], 111),
];
/// As [`WIDE`], for fields of type int.
const NARROW: &[([usize; 2], i32)] = &[
    ([304, 304], 12),
    ([308, 308], 10),
    ([320, 320], 1),
    ([324, 324], 2),
    ([328, 328], 3),
    ([332, 332], 4),
    ([336, 336], 5),
    ([340, 340], 6),
    ([344, 344], 7),
    ([360, 360], 75),
    ([364, 364], 76),
    ([388, 384], 16),
    ([400, 392], 19),
    ([408, 396], 21),
    ([412, 400], 77),
    ([420, 404], 22),
    ([424, 408], 23),
    ([428, 412], 73),
    ([432, 416], 74),
    ([436, 420], 70),
    ([440, 424], 71),
    ([444, 428], 72),
    ([448, 432], 45),
    ([452, 436], 46),
    ([456, 440], 24),
    ([460, 444], 25),
    ([464, 448], 26),
    ([468, 452], 47),
    ([472, 456], 48),
    ([476, 460], 49),
    ([480, 464], 52),
    ([484, 468], 42),
    ([488, 472], 43),
    ([492, 476], 27),
    ([496, 480], 28),
    ([500, 484], 29),
    ([504, 488], 53),
    ([508, 492], 54),
    ([512, 496], 55),
    ([516, 500], 56),
    ([520, 504], 57),
    ([524, 508], 58),
    ([528, 512], 59),
    ([532, 516], 60),
    ([536, 520], 61),
    ([540, 524], 62),
    ([544, 528], 63),
    ([548, 532], 64),
    ([552, 536], 65),
    ([556, 540], 66),
    ([560, 544], 67),
    ([564, 548], 68),
    ([576, 560], 31),
    ([584, 568], 33),
    ([588, 572], 34),
    ([592, 576], 50),
    ([600, 584], 40),
    ([604, 588], 41),
    ([612, 592], 37),
    ([616, 596], 38),
    ([624, 604], 39),
    ([628, 608], 78),
    ([648, 632], 82),
    ([652, 636], 83),
    ([672, 652], 88),
    ([676, 656], 89),
    ([680, 660], 90),
    ([684, 664], 91),
    ([688, 668], 95),
    ([712, 688], 106),
    ([728, 704], 99),
    ([744, 720], 115),
];
/// Fields of type int that only CUDA 12 has.
const NARROW_12: &[(usize, i32)] = &[(348, 13), (416, 69), (608, 36), (668, 87)];

/// Writes cudaDeviceProp; `form` is 0 for CUDA 12 and 1 for 13.
fn write(to: Out<u8>, form: usize, number: i32) -> Result {
    to.check()?;
    let mut bytes = [0; SIZES[0]];
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(0, device::name(device::check(number)?).as_bytes());
    put(256, &device::uuid(number));
    put(288, &device::total_memory().to_ne_bytes());
    for (at, attribute) in WIDE {
        put(at[form], &(device::attribute(*attribute, number)? as usize).to_ne_bytes());
    }
    let older = NARROW_12.iter().filter(|_| form == 0).copied();
    for (at, attribute) in NARROW.iter().map(|(at, attribute)| (at[form], *attribute)).chain(older) {
        put(at, &device::attribute(attribute, number)?.to_ne_bytes());
    }
    bytes[..SIZES[form]].iter().enumerate().try_for_each(|(at, byte)| to.at(at).set(*byte))
}

exports! { runtime;
    fn cudaGetDeviceProperties(to: Out<u8>, number: i32) {
        write(to, 1, number)
    }
    fn cudaGetDeviceProperties_v2(to: Out<u8>, number: i32) {
        write(to, 0, number)
    }
}
