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
//! | `sleep` | sleeping on a word until another thread or process wakes it |
//! | `thread` | how threads begin and end; what a thread is doing |

pub(crate) mod library;
#[cfg(target_os = "linux")]
#[path = "linux/mod.rs"]
mod system;
#[cfg(windows)]
#[path = "windows/mod.rs"]
mod system;

#[cfg(not(any(target_os = "linux", windows)))]
compile_error!("gevt knows Linux and Windows: another system needs a folder beside core/src/os/linux");

use std::hash::{BuildHasher, RandomState};
pub use system::clock::monotonic;
pub(crate) use system::clock::nanoseconds;
pub(crate) use system::handlers::{has_lost_threads, loaded_libraries, on_exit, on_fork, wipe_on_fork};
pub(crate) use system::memory::Mapping;
pub use system::memory::SharedFile;
pub(crate) use system::process::{has_ended, is_shortage, user};
pub(crate) use system::sleep::{FineTimer, MOST_WORDS, SleepWord, sleep, sleep_on_any, wake};
pub use system::thread::Uncancelled;
pub(crate) use system::thread::{
    ThreadClock, at_thread_end, barrier_of_process, has_barrier_of_process, spawn, without_signals,
};

/// Returns a number that no other process can guess.
pub(crate) fn random() -> u64 {
    // The C library's getrandom is a cancellation point. Miri has no cancellation.
    #[cfg(not(miri))]
    let _uncancelled = Uncancelled::new();
    RandomState::new().hash_one(0)
}

/// The name of a [`SharedFile`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileName {
    /// The process that made it.
    pub process: u32,
    /// The descriptor that its maker has of it.
    pub descriptor: u32,
    /// Its inode.
    pub inode: u64,
}
