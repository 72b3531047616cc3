//! How many calls came, and how many of them the driver was asked. Counted for GEVT_STATS=1 only.

use crate::driver::function::Function;
use crate::stderr::say;
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The most rows that the table may have.
pub(crate) const MOST: usize = 128;

/// Each thread counts in its own stripe; more threads than stripes share them.
const STRIPES: usize = 16;

/// The calls of one function by the program, and how many reached the driver.
struct Counter {
    came: AtomicU64,
    passed: AtomicU64,
}

#[repr(align(128))]
struct Stripe([Counter; MOST]);

static STRIPED: [Stripe; STRIPES] =
    [const { Stripe([const { Counter { came: AtomicU64::new(0), passed: AtomicU64::new(0) } }; MOST]) }; STRIPES];

/// The functions that were called, each at its number.
static CALLED: [OnceLock<&'static Function>; MOST] = [const { OnceLock::new() }; MOST];

thread_local! {
    static STRIPE: Cell<Option<usize>> = const { Cell::new(None) };
}

fn counter(function: &Function) -> &'static Counter {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    let stripe = STRIPE.get().unwrap_or_else(|| {
        let stripe = THREADS.fetch_add(1, Ordering::Relaxed) % STRIPES;
        STRIPE.set(Some(stripe));
        stripe
    });
    &STRIPED[stripe].0[function.index]
}

/// The program has called the function.
#[cold]
pub(crate) fn came(function: &'static Function) {
    CALLED[function.index].get_or_init(|| function);
    counter(function).came.fetch_add(1, Ordering::Relaxed);
}

/// The driver was called for it.
#[cold]
pub(crate) fn passed(function: &'static Function) {
    counter(function).passed.fetch_add(1, Ordering::Relaxed);
}

/// Prints the functions that were called, and all together.
pub(crate) fn print() {
    let mut all = (0, 0);
    for function in CALLED.iter().filter_map(|called| called.get()) {
        let counters = || STRIPED.iter().map(|stripe| &stripe.0[function.index]);
        let came: u64 = counters().map(|counter| counter.came.load(Ordering::Relaxed)).sum();
        let passed: u64 = counters().map(|counter| counter.passed.load(Ordering::Relaxed)).sum();
        all = (all.0 + came, all.1 + passed);
        print_line(&function.name.to_string_lossy(), came, passed);
    }
    print_line("all", all.0, all.1);
}

fn print_line(name: &str, came: u64, passed: u64) {
    say(&format!("stats: {name}: calls {came}, answered without the driver {}", came.saturating_sub(passed)));
}
