//! The last failure of each thread, and the exported functions that return it.

use super::types::gevt_detail_t;
use gevt_core::log::{self, Level};
use gevt_core::text::Text;
use gevt_core::{Error, Event, Handle, tell_lost_contexts};
use std::cell::RefCell;
use std::ffi::c_char;
use std::fmt::Write;

/// A failure; its message is put together when it is asked for. Needs no destructor, so that it can be asked for until the
/// very end of the thread.
#[derive(Clone, Copy)]
struct Failure {
    function: &'static str,
    subject: Handle,
    name: Text<64>,
    error: Error,
}

thread_local! {
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
    static MESSAGE: RefCell<Text<512>> = const { RefCell::new(Text::EMPTY) };
}

/// Keeps a failure for the calling thread, and logs it.
pub(super) fn set(function: &'static str, subject: Handle, error: Error) {
    let mut name = Text::EMPTY;
    if let Some(known) = Event::from_bits(subject.0).name() {
        // A name is never too long.
        let _ = name.write_str(&known);
    }
    let failure = Failure { function, subject, name, error };
    LAST.set(Some(failure));
    if log::is_on(Level::Error) {
        failure.log();
        // The log's function may have had failures of its own.
        LAST.set(Some(failure));
    }
}

impl Failure {
    fn write(&self, text: &mut impl Write) -> std::fmt::Result {
        write!(text, "{}", self.function)?;
        match (self.name.as_str(), self.subject.kind()) {
            (_, None) => {}
            ("", Some(kind)) => write!(text, " ({kind} {:#x})", self.subject.0)?,
            (name, Some(kind)) => write!(text, " ({kind} \"{name}\")")?,
        }
        write!(text, ": {}. {}", self.error, self.error.advice())
    }

    #[cold]
    fn log(&self) {
        if let Error::ContextLost(_) = self.error {
            tell_lost_contexts();
        }
        let level = if self.error == Error::Internal { Level::Error } else { Level::Warn };
        if log::is_on(level) {
            let mut text = Text::<512>::EMPTY;
            // What does not fit is cut off.
            let _ = self.write(&mut text);
            log::tell(level, format_args!("{}", text.as_str()));
        }
    }
}

/// Returns the detail of the calling thread's last failure, or GEVT_DETAIL_NONE if no call has failed. Cannot fail.
///
/// Successful calls and GEVT_ERROR_NOT_READY leave it unchanged.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_last_detail() -> gevt_detail_t {
    LAST.with_borrow(|last| last.map_or(0, |failure| failure.error.detail() as i32))
}

/// Returns a message about the calling thread's last failure: the function, the event and its name, what is wrong, and what to
/// do. Cannot fail.
///
/// The string is in UTF-8 and valid until the next failure on the same thread, or until the thread ends. It is empty if no call
/// has failed. Never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_last_message() -> *const c_char {
    let Some(failure) = LAST.with_borrow(|last| *last) else { return c"".as_ptr() };
    MESSAGE.with_borrow_mut(|message| {
        *message = Text::EMPTY;
        // What does not fit is cut off.
        let _ = failure.write(message);
        message.as_c_str().as_ptr()
    })
}
