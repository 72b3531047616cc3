//! Functions that nvcc's host code calls. It registers kernels and variables at startup, and pushes the configuration of each launch.

use crate::boundary::{Out, StreamArg, exports};
use crate::code::Code;
use crate::driver::launch::Dim3;
use crate::kernel;
use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

/// The configuration of a launch.
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

/// Returns a handle in memory that is never freed, because programs may pass it at any time.
#[unsafe(export_name = "gevt___cudaRegisterFatBinary")]
extern "C" fn __cudaRegisterFatBinary(_binary: *mut c_void) -> *mut *mut c_void {
    static NUMBERS: AtomicU64 = AtomicU64::new(1);
    std::ptr::from_mut(Box::leak(Box::new(NUMBERS.fetch_add(1, Ordering::Relaxed)))).cast()
}

/// Returns the registration number that a handle from [`__cudaRegisterFatBinary`] points to.
fn number(handle: *mut *mut c_void) -> u64 {
    // SAFETY: nvcc's code passes the handle that it received, which stays valid.
    if handle.is_null() { 0 } else { unsafe { handle.cast::<u64>().read() } }
}

/// Returns a copy of a name that nvcc's code passes.
fn copied(name: *const c_char) -> Option<CString> {
    // SAFETY: nvcc's code passes a C string.
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_owned())
}

#[unsafe(export_name = "gevt___cudaRegisterFatBinaryEnd")]
extern "C" fn __cudaRegisterFatBinaryEnd(_handle: *mut *mut c_void) {}

#[unsafe(export_name = "gevt___cudaUnregisterFatBinary")]
extern "C" fn __cudaUnregisterFatBinary(handle: *mut *mut c_void) {
    kernel::unregister(number(handle));
}

#[unsafe(export_name = "gevt___cudaInitModule")]
extern "C" fn __cudaInitModule(_handle: *mut *mut c_void) -> c_char {
    1
}

#[unsafe(export_name = "gevt___cudaRegisterFunction")]
extern "C" fn __cudaRegisterFunction(
    handle: *mut *mut c_void,
    host: usize,
    _device: *const c_char,
    name: *const c_char,
) {
    if let Some(name) = copied(name) {
        kernel::register(host, name, number(handle));
    }
}

#[unsafe(export_name = "gevt___cudaRegisterVar")]
extern "C" fn __cudaRegisterVar(
    handle: *mut *mut c_void,
    host: usize,
    _device: *const c_char,
    name: *const c_char,
    _external: c_int,
    len: usize,
) {
    kernel::register_variable(host, copied(name), len, number(handle));
}

#[unsafe(export_name = "gevt___cudaRegisterManagedVar")]
extern "C" fn __cudaRegisterManagedVar(
    handle: *mut *mut c_void,
    host: *mut usize,
    _device: *const c_char,
    _name: *const c_char,
    _external: c_int,
    len: usize,
) {
    if let Some(address) = kernel::register_managed(host as usize, len, number(handle)).filter(|_| !host.is_null()) {
        // SAFETY: nvcc's code passes the address of its pointer to the variable.
        unsafe { host.write(address) };
    }
}

#[unsafe(export_name = "gevt___cudaRegisterHostVar")]
extern "C" fn __cudaRegisterHostVar(_handle: *mut *mut c_void, _name: *const c_char) {}

#[unsafe(export_name = "gevt___cudaRegisterUnifiedTable")]
extern "C" fn __cudaRegisterUnifiedTable(_handle: *mut *mut c_void, _table: *mut c_void) {}

#[unsafe(export_name = "gevt___cudaPushCallConfiguration")]
extern "C" fn __cudaPushCallConfiguration(grid: Dim3, block: Dim3, shared: usize, stream: StreamArg) -> u32 {
    PUSHED.set(Some(Configuration { grid, block, shared, stream }));
    0
}

exports! { runtime;
    fn __cudaPopCallConfiguration(grid: *mut Dim3, block: *mut Dim3, shared: *mut usize, stream: *mut StreamArg) {
        let pushed = PUSHED.take().ok_or(Code::INVALID_CONFIGURATION)?;
        // SAFETY: nvcc's code passes the addresses of four variables.
        unsafe {
            grid.write(pushed.grid);
            block.write(pushed.block);
            shared.write(pushed.shared);
            stream.write(pushed.stream);
        }
        Ok(())
    }
    /// Returns the kernel for the next launch. An unknown one is refused at the launch.
    fn __cudaGetKernel(to: Out<usize>, function: usize) { to.check()?.set(kernel::find(function).map_or(Ok(function), |kernel| kernel.handle())?) }
}
