//! Windows.

use gevt_core::probe::now;
use std::ffi::{CStr, OsString};
use std::fs::{File, OpenOptions};
use std::io::{Error, Result};
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use windows_sys::Win32::Foundation::{
    ERROR_GEN_FAILURE, ERROR_NO_UNICODE_TRANSLATION, ERROR_SHARING_VIOLATION, LocalFree,
};
use windows_sys::Win32::Storage::FileSystem::{FILE_SHARE_DELETE, FILE_SHARE_READ};
use windows_sys::Win32::System::Threading::{GetCurrentThread, GetCurrentThreadId, GetThreadDescription};

/// The number of an error that has none.
pub(crate) const IO_ERROR: i32 = ERROR_GEN_FAILURE.cast_signed();
/// The number of the error that another trace is being written to the file.
pub(crate) const LOCKED: i32 = ERROR_SHARING_VIOLATION.cast_signed();

/// The name of the monotonic clock in Chrome's trace format.
pub(crate) const CLOCK_DOMAIN: &str = "WIN_QPC";

/// Returns the path that a C string names, in UTF-8.
pub(crate) fn path(name: &CStr) -> Result<&Path> {
    let error = || Error::from_raw_os_error(ERROR_NO_UNICODE_TRANSLATION.cast_signed());
    name.to_str().map(Path::new).map_err(|_| error())
}

/// Opens or creates a file for writing, unless another trace is being written to it. It may be read meanwhile.
pub(crate) fn open(path: &Path) -> Result<File> {
    let share = FILE_SHARE_READ | FILE_SHARE_DELETE;
    OpenOptions::new().write(true).create(true).truncate(false).share_mode(share).open(path)
}

/// The file is locked since it was opened.
pub(crate) fn lock(_: &File) -> Result<()> {
    Ok(())
}

/// The performance counter also counts while the machine is suspended.
pub(crate) fn boot_time() -> i64 {
    now()
}

/// Returns a variable of the environment.
pub(crate) fn trusted_variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Returns the calling thread's number.
pub(crate) fn number_of_thread() -> u32 {
    // SAFETY: takes no pointer.
    unsafe { GetCurrentThreadId() }
}

/// Returns the name of the calling thread; "thread" and its number if it has none.
pub(crate) fn name_of_this_thread() -> String {
    let mut text = std::ptr::null_mut();
    // SAFETY: the pointer is valid for a write.
    let code = unsafe { GetThreadDescription(GetCurrentThread(), &mut text) };
    let mut units = Vec::new();
    if code >= 0 && !text.is_null() {
        // SAFETY: the string ends with a NUL, at which this stops.
        units.extend((0..).map(|at| unsafe { *text.add(at) }).take_while(|unit| *unit != 0));
        // SAFETY: the call has allocated the string so that this frees it.
        unsafe { LocalFree(text.cast()) };
    }
    if units.is_empty() { format!("thread {}", number_of_thread()) } else { String::from_utf16_lossy(&units) }
}
