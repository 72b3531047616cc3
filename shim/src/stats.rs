//! How many calls came, and how many of them the driver was asked. Counted for GEVT_STATS=1 only.

use crate::driver::function::Function;
use crate::stderr::say;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most rows that the table may have.
pub(crate) const MOST: usize = 128;

/// The calls of one function by the program, and how many reached the driver.
struct Counter {
    function: OnceLock<&'static Function>,
    came: AtomicU64,
    passed: AtomicU64,
}

/// The counter of each function, at its number.
static COUNTERS: [Counter; MOST] =
    [const { Counter { function: OnceLock::new(), came: AtomicU64::new(0), passed: AtomicU64::new(0) } }; MOST];

/// The program has called the function.
#[cold]
pub(crate) fn came(function: &'static Function) {
    let counter = &COUNTERS[function.index];
    counter.function.get_or_init(|| function);
    counter.came.fetch_add(1, Ordering::Relaxed);
}

/// The driver was called for it.
#[cold]
pub(crate) fn passed(function: &'static Function) {
    COUNTERS[function.index].passed.fetch_add(1, Ordering::Relaxed);
}

/// Prints the functions that were called, and all together.
pub(crate) fn print() {
    let mut all = (0, 0);
    for Counter { function, came, passed } in &COUNTERS {
        let Some(function) = function.get() else { continue };
        let (came, passed) = (came.load(Ordering::Relaxed), passed.load(Ordering::Relaxed));
        all = (all.0 + came, all.1 + passed);
        print_line(&function.name.to_string_lossy(), came, passed);
    }
    print_line("all", all.0, all.1);
}

fn print_line(name: &str, came: u64, passed: u64) {
    say(&format!("stats: {name}: calls {came}, answered without the driver {}", came.saturating_sub(passed)));
}
