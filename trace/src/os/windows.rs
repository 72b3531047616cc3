//! Windows.

use gevt_core::probe::now;
use std::ffi::{CStr, OsString};
use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Result};
use std::os::windows::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use windows_sys::Win32::Foundation::{
    ERROR_FILENAME_EXCED_RANGE, ERROR_GEN_FAILURE, ERROR_NO_UNICODE_TRANSLATION, ERROR_SHARING_VIOLATION, LocalFree,
};
use windows_sys::Win32::Storage::FileSystem::{FILE_SHARE_DELETE, FILE_SHARE_READ};
use windows_sys::Win32::System::Threading::{GetCurrentThread, GetCurrentThreadId, GetThreadDescription};

/// The number of an error that has none.
pub(crate) const IO_ERROR: i32 = ERROR_GEN_FAILURE.cast_signed();

/// The name of the monotonic clock in Chrome's trace format.
pub(crate) const CLOCK_DOMAIN: &str = "WIN_QPC";

/// Has opening the file fail while another trace is being written to it. It may be read meanwhile.
pub(crate) fn never_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options.share_mode(FILE_SHARE_READ | FILE_SHARE_DELETE)
}

/// Returns the path that a C string names, in UTF-8.
pub(crate) fn path(name: &CStr) -> Result<&Path> {
    name.to_str().map(Path::new).map_err(|_| error(ERROR_NO_UNICODE_TRANSLATION))
}

fn error(code: u32) -> Error {
    Error::from_raw_os_error(code.cast_signed())
}

/// Refuses a path that no file can have, as opening one does, and before anything needs memory for it.
pub(crate) fn check_path(path: &Path) -> Result<()> {
    const LONGEST: usize = 32_767;
    if path.as_os_str().len() <= LONGEST { Ok(()) } else { Err(error(ERROR_FILENAME_EXCED_RANGE)) }
}

/// Returns whether the error says that another trace is being written to the file.
pub(crate) fn is_locked(error: &Error) -> bool {
    error.raw_os_error() == Some(ERROR_SHARING_VIOLATION.cast_signed())
}

/// The file is locked since it was opened.
pub(crate) fn lock_file(_: &File) -> Result<()> {
    Ok(())
}

/// Files have no numbers that standard streams could take.
pub(crate) fn beyond_standard(file: File) -> Result<File> {
    Ok(file)
}

/// As for [`beyond_standard`].
pub(crate) fn number_of_file(_: &File) -> i32 {
    0
}

/// Never called: there is no fork.
///
/// # Safety
/// None is needed.
pub(crate) unsafe fn close_number(_: i32) {}

/// Writes all of the bytes at a place of the file.
pub(crate) fn write_all_at(file: &File, mut bytes: &[u8], mut at: u64) -> Result<()> {
    while !bytes.is_empty() {
        match file.seek_write(bytes, at) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => {
                bytes = &bytes[written..];
                at += written as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Returns the nanoseconds that the performance counter shows, twice because it also counts while the machine is suspended, and the
/// time since 1970.
pub(crate) fn read_clocks() -> [i64; 3] {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    [now(), now(), i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)]
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

/// Returns the name of the program.
pub(crate) fn name_of_process() -> String {
    let program = std::env::current_exe().ok();
    program.and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned())).unwrap_or_default()
}
