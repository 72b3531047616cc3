//! The last failure of the calling thread.

use super::types::gevt_detail_t;
use crate::error::Error;
use crate::machine::name_of;
use crate::table::Handle;
use std::cell::RefCell;
use std::ffi::{CStr, c_char};
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

/// Text in place, cut where it does not fit, and with room for a NUL.
#[derive(Clone, Copy)]
struct Text<const SIZE: usize> {
    bytes: [u8; SIZE],
    len: usize,
}

impl<const SIZE: usize> Text<SIZE> {
    const EMPTY: Text<SIZE> = Text { bytes: [0; SIZE], len: 0 };

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

impl<const SIZE: usize> Write for Text<SIZE> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for character in text.chars().filter(|character| *character != '\0') {
            let end = self.len + character.len_utf8();
            if end >= SIZE {
                return Err(std::fmt::Error);
            }
            character.encode_utf8(&mut self.bytes[self.len..end]);
            self.len = end;
        }
        self.bytes[self.len] = 0;
        Ok(())
    }
}

thread_local! {
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
    static MESSAGE: RefCell<Text<512>> = const { RefCell::new(Text::EMPTY) };
}

pub(super) fn set(function: &'static str, subject: Handle, error: Error) {
    let mut name = Text::EMPTY;
    if let Some(known) = name_of(subject) {
        // A name is never too long.
        let _ = name.write_str(&known);
    }
    LAST.set(Some(Failure { function, subject, name, error }));
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
        CStr::from_bytes_until_nul(&message.bytes).map_or(c"".as_ptr(), CStr::as_ptr)
    })
}
