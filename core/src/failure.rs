//! A call that failed, in words.

use crate::error::Error;
use crate::log::{self, Level};
use crate::machine::tell_lost_contexts;
use crate::table::{Event, Handle, Kind, Stream};
use crate::text::{Name, Text};
use std::fmt::{Display, Formatter, Result};

/// A call that failed: the function, the object that it was about, and why. Displayed, it says what is wrong and what to do.
///
/// It has no destructor, so a thread can use its last one until it ends.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    function: &'static str,
    subject: Handle,
    name: Name,
    error: Error,
}

impl Failure {
    /// Notes a failure of `function`, with the name that `subject` has now if it is an event or a stream.
    pub fn new(function: &'static str, subject: Handle, error: Error) -> Failure {
        let name = match subject.kind() {
            Some(Kind::Stream) => Stream(subject).name(),
            _ => Event(subject).name(),
        };
        Failure { function, subject, name: name.unwrap_or(Name::EMPTY), error }
    }

    /// Returns why the call failed.
    pub fn error(&self) -> Error {
        self.error
    }

    /// Returns the failure in words, truncated if it is too long.
    pub fn message(&self) -> Text<512> {
        Text::of(self)
    }

    /// Passes it to the log function, if there is one that accepts its level. The calling thread holds no lock.
    pub fn log(&self) {
        // A timeout that expired is an answer.
        if self.error == Error::TimedOut || !log::is_on(Level::Error) {
            return;
        }
        if let Error::ContextLost(_) = self.error {
            tell_lost_contexts();
        }
        let level = if self.error == Error::Internal { Level::Error } else { Level::Warn };
        log::tell(level, format_args!("{self}"));
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(self.function)?;
        match self.subject.kind() {
            None => {}
            Some(kind) if self.name.is_empty() => write!(f, " ({kind} {:#x})", self.subject.0)?,
            Some(kind) => write!(f, " ({kind} \"{}\")", self.name)?,
        }
        write!(f, ": {}. {}", self.error, self.error.advice())
    }
}
