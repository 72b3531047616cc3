//! Bugs that the checks in `ci/` have to find, to show that they find bugs. Built with `--cfg gevt_planted` alone, which no
//! build that is shipped has; PLANTED_BUG names the one that is awake.

use gevt_core::Status;
use std::cell::UnsafeCell;
use std::hint::black_box;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What PLANTED_BUG says.
static AWAKE: LazyLock<String> = LazyLock::new(|| std::env::var("PLANTED_BUG").unwrap_or_default());

/// A number that threads share without a lock.
struct Unlocked(UnsafeCell<u64>);

// SAFETY: none. That is the bug.
unsafe impl Sync for Unlocked {}

static CALLS: Unlocked = Unlocked(UnsafeCell::new(0));
static AFTER_NATIVE: AtomicBool = AtomicBool::new(false);
static PENDING: AtomicUsize = AtomicUsize::new(0);

/// At the beginning of every call.
pub fn on_call(function: &str) {
    match AWAKE.as_str() {
        "use_after_free" if function == "gevt_record" => {
            let freed = Box::into_raw(Box::new(1_u64));
            // SAFETY: none for the read: that is the bug.
            unsafe {
                drop(Box::from_raw(freed));
                black_box(freed.read_volatile());
            }
        }
        "leak" if function == "gevt_destroy" => {
            black_box(Box::leak(Box::new([0_u8; 256])));
        }
        // SAFETY: none. That is the bug.
        "race" if function == "gevt_record" => unsafe { *CALLS.0.get() += 1 },
        "sequence" => on_step(function),
        _ => {}
    }
}

/// Aborts if a function whose name begins with `gevt_s` is called right after `gevt_native`. Few inputs do that.
fn on_step(function: &str) {
    let follows = AFTER_NATIVE.swap(function == "gevt_native", Ordering::Relaxed);
    if follows && function.starts_with("gevt_s") {
        std::process::abort();
    }
}

/// Replaces the result of a call: some pending events are called complete.
pub fn instead_of(function: &str, status: Status) -> Status {
    let is_wrong = status == Status::NOT_READY && function == "gevt_query" && *AWAKE == "wrong_answer";
    if is_wrong && PENDING.fetch_add(1, Ordering::Relaxed) % 100 == 99 { Status::SUCCESS } else { status }
}
