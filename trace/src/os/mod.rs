//! What a trace needs of the operating system: files, clocks, threads' names.

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

pub(crate) use system::{
    CLOCK_DOMAIN, IO_ERROR, beyond_standard, check_path, close_number, is_locked, lock_file, name_of_process,
    name_of_this_thread, never_waiting, number_of_file, number_of_thread, path, read_clocks, trusted_variable,
    write_all_at,
};
