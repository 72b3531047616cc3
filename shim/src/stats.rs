//! How many calls came, and how many of them the driver was asked. Counted for GEVT_STATS=1 only.

use crate::stderr::say;
use crate::table::Symbol;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Threads count in places of their own, as far as there are any.
const STRIPES: usize = 16;

/// Of one function: calls of the program's, and calls of the driver's.
#[derive(Default)]
struct Count {
    came: AtomicU64,
    passed: AtomicU64,
}

#[repr(align(128))]
struct Stripe([Count; Symbol::ALL.len()]);

static STRIPED: [Stripe; STRIPES] =
    [const { Stripe([const { Count { came: AtomicU64::new(0), passed: AtomicU64::new(0) } }; Symbol::ALL.len()]) };
        STRIPES];

thread_local! {
    static STRIPE: Cell<Option<usize>> = const { Cell::new(None) };
}

fn count(symbol: Symbol) -> &'static Count {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    let stripe = STRIPE.get().unwrap_or_else(|| {
        let stripe = THREADS.fetch_add(1, Ordering::Relaxed) % STRIPES;
        STRIPE.set(Some(stripe));
        stripe
    });
    &STRIPED[stripe].0[symbol as usize]
}

/// The program has called the function.
pub(crate) fn came(symbol: Symbol) {
    count(symbol).came.fetch_add(1, Ordering::Relaxed);
}

/// The driver was called for it.
pub(crate) fn passed(symbol: Symbol) {
    count(symbol).passed.fetch_add(1, Ordering::Relaxed);
}

/// Prints the functions that were called, and all together.
pub(crate) fn print() {
    let mut all = (0, 0);
    for symbol in Symbol::ALL {
        let counts = || STRIPED.iter().filter_map(|stripe| stripe.0.get(*symbol as usize));
        let came: u64 = counts().map(|count| count.came.load(Ordering::Relaxed)).sum();
        let passed: u64 = counts().map(|count| count.passed.load(Ordering::Relaxed)).sum();
        all = (all.0 + came, all.1 + passed);
        if came != 0 {
            print_line(&symbol.name().to_string_lossy(), came, passed);
        }
    }
    print_line("all", all.0, all.1);
}

fn print_line(name: &str, came: u64, passed: u64) {
    say(&format!("stats: {name}: calls {came}, answered without the driver {}", came.saturating_sub(passed)));
}
