//! What is the operating system's own. The rest of the core uses these functions and types alone, so that another system can be
//! added as one more folder that has them, too.
//!
//! | file | what it gives |
//! | --- | --- |
//! | `clock` | the monotonic clock |
//! | `handlers` | functions that run in the child of a fork and at exit |
//! | `memory` | memory that processes share, and which processes still do |
//! | `process` | processes by their numbers, and whether they have ended |
//! | `random` | bytes that nobody can guess |
//! | `sleep` | sleeping on a word until another thread or process wakes it |
//! | `thread` | threads that leave the program's signals alone; what a thread is doing |

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as system;

#[cfg(not(target_os = "linux"))]
compile_error!("gevt knows Linux only: another system needs a folder beside core/src/os/linux");

pub(crate) use system::clock::monotonic;
pub(crate) use system::handlers::{on_exit, on_fork, wipe_on_fork};
pub(crate) use system::memory::{FileName, Mapping, SharedFile};
pub(crate) use system::process::{has_ended, is_shortage, is_unsupported, number_in_proc, user};
pub(crate) use system::random::random_bytes;
pub(crate) use system::sleep::{FineTimer, MOST_WORDS, SleepWord, sleep, sleep_on_any, wake};
pub use system::thread::Uncancelled;
pub(crate) use system::thread::{
    ThreadClock, at_thread_end, barrier_of_process, has_barrier_of_process, spawn, time_of_thread, without_signals,
};
