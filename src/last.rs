//! The last failure of each thread, and the exported functions that return it.

use super::types::gevt_detail_t;
use gevt_core::{Failure, Text};
use std::cell::{Cell, RefCell};
use std::ffi::c_char;

thread_local! {
    /// Its message is put together when it is asked for.
    static LAST: Cell<Option<Failure>> = const { Cell::new(None) };
    static MESSAGE: RefCell<Text<512>> = const { RefCell::new(Text::EMPTY) };
}

/// Keeps a failure for the calling thread, and logs it.
pub(super) fn set(failure: Failure) {
    LAST.set(Some(failure));
    failure.log();
    // Calls of the log's function may have failed, too.
    LAST.set(Some(failure));
}

/// Returns the detail of the calling thread's last failure, or GEVT_DETAIL_NONE. Cannot fail.
///
/// Successful calls and GEVT_ERROR_NOT_READY leave it unchanged.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_last_detail() -> gevt_detail_t {
    LAST.get().map_or(0, |failure| failure.error().detail() as i32)
}

/// Returns a message about the calling thread's last failure. Cannot fail.
///
/// The message names the function and the object, and says what is wrong and what to do. It is UTF-8, never NULL, empty if no call has
/// failed, and valid until the thread's next failure or its end.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_last_message() -> *const c_char {
    let Some(failure) = LAST.get() else { return c"".as_ptr() };
    MESSAGE.with_borrow_mut(|message| {
        *message = failure.message();
        message.as_c_str().as_ptr()
    })
}
