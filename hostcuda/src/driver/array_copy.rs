//! Byte copies to and from arrays.

use super::copy::{finish, start};
use crate::array;
use crate::boundary::{StreamArg, exports};
use crate::code::Result;
use crate::handle::Handle;
use crate::transfer::Side::{Device, Host};

/// Returns the address of `len` bytes in an array.
fn line(array: Handle, offset: usize, len: usize) -> Result<usize> {
    Ok(array::get(array)?.line(offset, 0, len)?.address)
}

exports! { driver;
    fn cuMemcpyHtoA_v2 | cuMemcpyHtoA_v2_ptds(to: Handle, offset: usize, from: usize, len: usize) at stream {
        finish(stream, (line(to, offset, len)?, Device), (from, Host), len)
    }
    fn cuMemcpyAtoH_v2 | cuMemcpyAtoH_v2_ptds(to: usize, from: Handle, offset: usize, len: usize) at stream {
        finish(stream, (to, Host), (line(from, offset, len)?, Device), len)
    }
    fn cuMemcpyDtoA_v2 | cuMemcpyDtoA_v2_ptds(to: Handle, offset: usize, from: usize, len: usize) at stream {
        finish(stream, (line(to, offset, len)?, Device), (from, Device), len)
    }
    fn cuMemcpyAtoD_v2 | cuMemcpyAtoD_v2_ptds(to: usize, from: Handle, offset: usize, len: usize) at stream {
        finish(stream, (to, Device), (line(from, offset, len)?, Device), len)
    }
    fn cuMemcpyAtoA_v2 | cuMemcpyAtoA_v2_ptds(to: Handle, to_offset: usize, from: Handle, offset: usize, len: usize) at stream {
        finish(stream, (line(to, to_offset, len)?, Device), (line(from, offset, len)?, Device), len)
    }
    fn cuMemcpyHtoAAsync_v2 | cuMemcpyHtoAAsync_v2_ptsz(to: Handle, offset: usize, from: usize, len: usize, stream: StreamArg) on stream {
        start(stream, (line(to, offset, len)?, Device), (from, Host), len)
    }
    fn cuMemcpyAtoHAsync_v2 | cuMemcpyAtoHAsync_v2_ptsz(to: usize, from: Handle, offset: usize, len: usize, stream: StreamArg) on stream {
        start(stream, (to, Host), (line(from, offset, len)?, Device), len)
    }
}
