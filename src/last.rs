//! The last failure of the calling thread.

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

/// The number of the last failure's detail. Failures leave it as it is until the next one on the same thread; calls that
/// succeed, and the answer GEVT_ERROR_NOT_READY, do not touch it.
///
/// Returns GEVT_DETAIL_NONE where no call has failed on this thread. Cannot fail.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_last_detail() -> gevt_detail_t {
    LAST.with_borrow(|last| last.map_or(0, |failure| failure.error.detail() as i32))
}

/// The last failure in words: the function, the event with its name if it has one, what is wrong, and what to do.
///
/// Returns a string in UTF-8 that stays valid until the next failure on the same thread, or until the thread ends; an
/// empty one where no call has failed. Never NULL. Cannot fail.
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
