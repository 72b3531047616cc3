//! Starting threads of gevt's own.

use crate::os;
#[cfg(not(loom))]
use crate::probe::Inside;
use crate::sync;

/// The stack of a thread of gevt's, on which functions of the program's run.
const STACK: usize = 8 << 20;

/// Starts a thread that leaves the program's signals to the program; false where the system has none to give.
pub fn start(name: &str, body: impl FnOnce() + Send + 'static) -> bool {
    #[cfg(not(loom))]
    let body = || {
        let _inside = Inside::enter();
        body();
    };
    os::without_signals(|| sync::spawn(name, STACK, body))
}
