//! What a trace needs of the operating system: files, clocks, threads' names.

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

pub(crate) use system::{
    CLOCK_DOMAIN, IO_ERROR, LOCKED, boot_time, lock, name_of_this_thread, open, path, trusted_variable,
};

/// Returns the number that the system gives the calling thread.
pub(crate) fn number_of_thread() -> u32 {
    thread_local! {
        static NUMBER: u32 = system::number_of_thread();
    }
    NUMBER.with(|number| *number)
}
