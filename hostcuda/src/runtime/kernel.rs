//! What nvcc's host code calls: it registers its kernels at start, which is accepted. There is nothing to run them.

use crate::boundary::{StreamArg, exports};
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};

/// dim3.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Dim3 {
    x: u32,
    y: u32,
    z: u32,
}

/// What stands between the angle brackets of a launch.
#[derive(Clone, Copy)]
struct Configuration {
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: StreamArg,
}

thread_local! {
    static PUSHED: Cell<Option<Configuration>> = const { Cell::new(None) };
}

#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterFatBinary(_binary: *mut c_void) -> *mut *mut c_void {
    struct Place(*mut c_void);
    // SAFETY: nobody reads or writes behind the handle that this gives; only its address counts.
    unsafe impl Sync for Place {}
    static HANDLE: Place = Place(std::ptr::null_mut());
    (&raw const HANDLE.0).cast_mut()
}

#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterFatBinaryEnd(_handle: *mut *mut c_void) {}

#[unsafe(no_mangle)]
extern "C" fn __cudaUnregisterFatBinary(_handle: *mut *mut c_void) {}

#[unsafe(no_mangle)]
extern "C" fn __cudaInitModule(_handle: *mut *mut c_void) -> c_char {
    1
}

#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterFunction(_handle: *mut *mut c_void, _host: *const c_char) {}

#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterVar(_handle: *mut *mut c_void, _host: *const c_char) {}

#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterManagedVar(_handle: *mut *mut c_void, _host: *mut *mut c_void) {}

#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterHostVar(_handle: *mut *mut c_void, _name: *const c_char) {}

#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterUnifiedTable(_handle: *mut *mut c_void, _table: *mut c_void) {}

#[unsafe(no_mangle)]
extern "C" fn __cudaPushCallConfiguration(grid: Dim3, block: Dim3, shared: usize, stream: StreamArg) -> u32 {
    PUSHED.set(Some(Configuration { grid, block, shared, stream }));
    0
}

exports! { runtime;
    fn __cudaPopCallConfiguration(grid: *mut Dim3, block: *mut Dim3, shared: *mut usize, stream: *mut StreamArg) {
        let pushed = PUSHED.take().ok_or(crate::code::Code::INVALID_CONFIGURATION)?;
        // SAFETY: nvcc's code passes the addresses of four variables.
        unsafe {
            grid.write(pushed.grid);
            block.write(pushed.block);
            shared.write(pushed.shared);
            stream.write(pushed.stream);
        }
        Ok(())
    }
    /// A kernel's name for the launch that follows, which is refused there.
    fn __cudaGetKernel(kernel: *mut *const c_void, function: *const c_void) {
        // SAFETY: nvcc's code passes the address of a variable.
        unsafe { kernel.write(function) };
        Ok(())
    }
    fn cudaFuncSetCacheConfig(_function: *const c_void, _config: c_int) {
        Ok(())
    }
    fn cudaFuncSetAttribute(_function: *const c_void, _attribute: c_int, _value: c_int) {
        Ok(())
    }
}

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
