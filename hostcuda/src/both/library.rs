//! The driver's version, and the look-up of its functions.

use crate::boundary::{Out, Text, exports};
use crate::code::{Code, Result};
use crate::{device, symbols};
use std::ffi::c_void;

/// Looks a function up for a caller that was built for `version`; returns whether there is one.
pub(crate) fn look_up(
    name: Text,
    function: Out<*mut c_void>,
    version: i32,
    flags: u64,
    status: Out<i32>,
) -> Result<bool> {
    let found = symbols::look_up(name.get()?, version, flags)?;
    function.set(found.address)?;
    status.offer(found.status);
    Ok(!found.address.is_null())
}

exports! { always, runtime;
    fn cuDriverGetVersion = cudaDriverGetVersion(version: Out<i32>) {
        version.set(device::VERSION)
    }
}

exports! { always;
    /// The tables by which NVIDIA's libraries reach past the driver API are not there.
    fn cuGetExportTable(table: Out<*const c_void>, _id: *const c_void) {
        table.set(std::ptr::null())?;
        Err(Code::NOT_FOUND)
    }
}
