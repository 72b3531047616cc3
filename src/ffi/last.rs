//! The last failure of the calling thread.

use super::types::gevt_detail_t;
use crate::error::Error;
use crate::machine::name_of;
use crate::table::Handle;
use std::cell::RefCell;
use std::ffi::{CString, c_char};

/// A failure; its message is put together when it is asked for.
struct Failure {
    function: &'static str,
    subject: Handle,
    name: Option<Box<str>>,
    error: Error,
    message: Option<CString>,
}

thread_local! {
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

pub(super) fn set(function: &'static str, subject: Handle, error: Error) {
    let failure = Failure { function, subject, name: name_of(subject), error, message: None };
    // A thread that is ending has nobody to ask it any more.
    let _ = LAST.try_with(|last| *last.borrow_mut() = Some(failure));
}

impl Failure {
    fn text(&self) -> String {
        let subject = match (&self.name, self.subject.kind()) {
            (Some(name), Some(kind)) => format!(" ({kind} \"{name}\")"),
            (None, Some(kind)) => format!(" ({kind} {:#x})", self.subject.0),
            (_, None) => String::new(),
        };
        format!("{}{subject}: {}. {}", self.function, self.error, self.error.advice())
    }
}

/// The number of the last failure's detail. Failures leave it as it is until the next one on the same thread; calls that
/// succeed, and the answer GEVT_ERROR_NOT_READY, do not touch it.
///
/// Returns GEVT_DETAIL_NONE where no call has failed on this thread. Cannot fail.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_last_detail() -> gevt_detail_t {
    let detail = |last: &RefCell<Option<Failure>>| last.borrow().as_ref().map_or(0, |failure| failure.error.detail() as i32);
    LAST.try_with(detail).unwrap_or(0)
}

/// The last failure in words: the function, the event with its name if it has one, what is wrong, and what to do.
///
/// Returns a string in UTF-8 that stays valid until the next failure on the same thread, or until the thread ends; an
/// empty one where no call has failed. Never NULL. Cannot fail.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_last_message() -> *const c_char {
    let message = |last: &RefCell<Option<Failure>>| {
        let mut last = last.borrow_mut();
        let Some(failure) = last.as_mut() else { return c"".as_ptr() };
        let text = failure.text().replace('\0', " ");
        failure.message.get_or_insert_with(|| CString::new(text).unwrap_or_default()).as_ptr()
    };
    LAST.try_with(message).unwrap_or(c"".as_ptr())
}
