//! The operating system. The rest of the core uses only these functions and types, and each system has a folder that
//! implements them.
//!
//! | file | what it gives |
//! | --- | --- |
//! | `clock` | the monotonic clock |
//! | `handlers` | functions that run in the child of a fork and at exit |
//! | `library` | loading the libraries of drivers |
//! | `memory` | memory that processes share, and which processes still do |
//! | `process` | processes by their numbers, and whether they have ended |
//! | `random` | unpredictable bytes |
//! | `sleep` | sleeping on a word until another thread or process wakes it |
//! | `thread` | threads that leave the program's signals alone; what a thread is doing |

pub(crate) mod library;
#[cfg(target_os = "linux")]
#[path = "linux/mod.rs"]
mod system;
#[cfg(windows)]
#[path = "windows/mod.rs"]
mod system;

#[cfg(not(any(target_os = "linux", windows)))]
compile_error!("gevt knows Linux and Windows: another system needs a folder beside core/src/os/linux");

pub(crate) use system::clock::{monotonic, nanoseconds};
pub(crate) use system::handlers::{has_lost_threads, loaded_libraries, on_exit, on_fork, wipe_on_fork};
pub use system::memory::Descriptor;
pub(crate) use system::memory::{Mapping, SharedFile};
pub(crate) use system::process::{has_ended, is_shortage, is_unsupported, number_in_proc, user};
pub(crate) use system::random::random_bytes;
pub(crate) use system::sleep::{FineTimer, MOST_WORDS, SleepWord, sleep, sleep_on_any, wake};
pub use system::thread::Uncancelled;
pub(crate) use system::thread::{
    ThreadClock, at_thread_end, barrier_of_process, has_barrier_of_process, spawn, time_of_thread, without_signals,
};

/// The name of a [`SharedFile`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FileName {
    /// The process that made it, by its number in /proc.
    pub(crate) process: u32,
    /// The descriptor that its maker has of it.
    pub(crate) descriptor: u32,
    pub(crate) inode: u64,
}
