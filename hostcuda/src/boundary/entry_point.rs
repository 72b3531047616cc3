//! The driver functions that runtime calls use. They are looked up as NVIDIA's runtime does, so a library that interposes on the driver
//! sees the calls.

use crate::code::{Code, Result};
use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::OnceLock;

/// cuGetProcAddress since CUDA 12.
type LookUp = unsafe extern "C" fn(*const c_char, *mut *mut c_void, i32, u64, *mut i32) -> i32;

/// The CUDA version whose cuGetProcAddress has that type.
const VERSION: i32 = 12000;

pub(crate) struct EntryPoint {
    symbol: &'static str,
    found: OnceLock<usize>,
}

impl EntryPoint {
    pub(crate) const fn new(symbol: &'static str) -> EntryPoint {
        EntryPoint { symbol, found: OnceLock::new() }
    }

    /// Returns the function's address.
    #[inline]
    pub(crate) fn get(&self) -> Result<*mut c_void> {
        match self.found.get() {
            Some(address) => Ok(*address as *mut c_void),
            None => self.find(),
        }
    }

    #[cold]
    fn find(&self) -> Result<*mut c_void> {
        let form = cuda_abi::driver(self.symbol).ok_or(Code::NOT_FOUND)?;
        let name = CString::new(form.name).map_err(|_| Code::NOT_FOUND)?;
        let flags = if form.per_thread { cuda_abi::GET_PROC_ADDRESS_PER_THREAD } else { 0 };
        let address = find(look_up()?, &name, form.since, flags)?;
        Ok(*self.found.get_or_init(|| address as usize) as *mut c_void)
    }
}

/// Returns the lookup function. An interposing library may replace the address, so the function that `dlsym` finds is asked for itself.
fn look_up() -> Result<LookUp> {
    static FOUND: OnceLock<Result<LookUp>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        // SAFETY: C strings. The library is this one, under the soname that programs use.
        let first = unsafe {
            let driver = libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW);
            if driver.is_null() { driver } else { libc::dlsym(driver, c"cuGetProcAddress_v2".as_ptr()) }
        };
        if first.is_null() {
            return Err(Code::NOT_FOUND);
        }
        // SAFETY: the symbol's type.
        let first = unsafe { std::mem::transmute::<*mut c_void, LookUp>(first) };
        let second = find(first, c"cuGetProcAddress", VERSION, 0)?;
        // SAFETY: the function's type in that version.
        Ok(unsafe { std::mem::transmute::<*mut c_void, LookUp>(second) })
    })
}

fn find(look_up: LookUp, name: &CStr, version: i32, flags: u64) -> Result<*mut c_void> {
    let (mut address, mut status) = (std::ptr::null_mut(), 0);
    // SAFETY: a C string and local variables for the results.
    Code::check(unsafe { look_up(name.as_ptr(), &raw mut address, version, flags, &raw mut status) })?;
    if address.is_null() { Err(Code::NOT_FOUND) } else { Ok(address) }
}
