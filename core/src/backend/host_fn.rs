//! The caller's functions, run by streams.

use crate::error::Result;
use crate::probe::{self, NATIVE_STREAMS};
use std::ffi::c_void;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The caller's C function with its argument.
#[derive(Clone, Copy)]
pub struct HostFn {
    pub(crate) function: extern "C" fn(*mut c_void),
    pub(crate) user: *mut c_void,
}

// SAFETY: the constructor's caller promised that `function(user)` may run on another thread.
unsafe impl Send for HostFn {}

impl HostFn {
    /// Returns the function with its argument.
    ///
    /// # Safety
    /// `function(user)` may be called on another thread, until it has run, for each stream that it is given to. It must
    /// return: no exception and no longjmp may leave it.
    pub unsafe fn new(function: extern "C" fn(*mut c_void), user: *mut c_void) -> HostFn {
        HostFn { function, user }
    }

    /// Calls the function.
    pub(crate) fn call(self) {
        probe::outside(|| (self.function)(self.user));
    }

    /// Like [`HostFn::call`], as work of a native stream. The order of such work is announced for all native streams together.
    pub(crate) fn call_in_native_order(self) {
        probe::acquire(&NATIVE_STREAMS);
        self.call();
        probe::release(&NATIVE_STREAMS);
    }
}

/// The caller's C function that runs for each of many items, with its argument.
#[derive(Clone, Copy)]
pub struct ItemFn {
    function: extern "C" fn(*mut c_void, usize, u32),
    user: *mut c_void,
}

// SAFETY: the constructor's caller promised that `function(user, item, worker)` may run on other threads, several at
// once.
unsafe impl Send for ItemFn {}
// SAFETY: as above.
unsafe impl Sync for ItemFn {}

impl ItemFn {
    /// Returns the function with its argument. It is called with the number of an item and that of a worker.
    ///
    /// # Safety
    /// `function(user, item, worker)` may be called on other threads, several at once, until it has run for all items. It must
    /// return: no exception and no longjmp may leave it.
    pub unsafe fn new(function: extern "C" fn(*mut c_void, usize, u32), user: *mut c_void) -> ItemFn {
        ItemFn { function, user }
    }

    /// Calls the function for the items of a range.
    pub(crate) fn call(self, items: Range<usize>, worker: usize) {
        probe::outside(|| items.for_each(|item| (self.function)(self.user, item, worker as u32)));
    }
}

/// Gives a stream a function that runs the closure and frees it. `give` does so, and returns whether one stream has taken it, and the result.
pub(crate) fn give_closure<F: FnOnce() + Send + 'static>(
    closure: F,
    give: impl FnOnce(HostFn) -> (bool, Result<()>),
) -> Result<()> {
    let user = Box::into_raw(Box::new(closure));
    let (is_taken, result) = give(HostFn { function: run::<F>, user: user.cast() });
    if !is_taken {
        // SAFETY: made above, and no stream has taken the function that would free it.
        drop(unsafe { Box::from_raw(user) });
    }
    result
}

extern "C" fn run<F: FnOnce()>(user: *mut c_void) {
    // SAFETY: the box of `give_closure`; the one stream that has taken the function runs it once.
    let function = unsafe { Box::from_raw(user.cast::<F>()) };
    // No caller could report the panic.
    let _ = catch_unwind(AssertUnwindSafe(function));
}
