//! How many calls came, and how many of them the driver was asked. Counted for GEVT_STATS=1 only.

use crate::driver::function::Function;
use crate::stderr::say;
use gevt_core::lock::Mutex;
use std::sync::atomic::Ordering;

/// The functions that were called.
static CALLED: Mutex<Vec<&'static Function>> = Mutex::new(Vec::new());

/// The program has called the function.
#[cold]
pub(crate) fn came(function: &'static Function) {
    if function.calls[0].fetch_add(1, Ordering::Relaxed) == 0 {
        CALLED.lock().push(function);
    }
}

/// The driver was called for it.
#[cold]
pub(crate) fn passed(function: &'static Function) {
    function.calls[1].fetch_add(1, Ordering::Relaxed);
}

/// Prints the functions that were called, and all together.
pub(crate) fn print() {
    let mut all = [0, 0];
    let mut called = std::mem::take(&mut *CALLED.lock());
    called.sort_by_key(|function| function.name);
    for function in called {
        let [came, passed] = function.calls.each_ref().map(|calls| calls.load(Ordering::Relaxed));
        all = [all[0] + came, all[1] + passed];
        print_line(&function.name.to_string_lossy(), came, passed);
    }
    print_line("all", all[0], all[1]);
}

fn print_line(name: &str, came: u64, passed: u64) {
    say(&format!("stats: {name}: calls {came}, answered without the driver {}", came.saturating_sub(passed)));
}
