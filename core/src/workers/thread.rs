//! Starting threads of gevt's own.

use crate::os;
#[cfg(not(loom))]
use crate::probe::Inside;

/// The stack of a thread of gevt's, on which functions of the program's run.
const STACK: usize = 8 << 20;

/// Starts a thread that leaves the program's signals to the program; false where the system has none to give. Models start their threads
/// themselves.
pub fn start(name: &str, body: impl FnOnce() + Send + 'static) -> bool {
    #[cfg(not(loom))]
    let body = || {
        let _inside = Inside::enter();
        body();
    };
    !cfg!(loom) && os::without_signals(|| os::spawn(name, STACK, Box::new(body)))
}
