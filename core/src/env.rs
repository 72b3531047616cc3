//! Numbers in the environment.

use crate::log::{self, Level};
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};

/// A variable that holds a number from 1 up.
pub(crate) struct NumberVariable {
    name: &'static str,
    most: usize,
    /// Returns the number to use instead of one that is out of the range, or of none.
    instead: fn(Option<usize>) -> usize,
    is_checked: AtomicBool,
}

impl NumberVariable {
    pub(crate) const fn new(name: &'static str, most: usize, instead: fn(Option<usize>) -> usize) -> NumberVariable {
        NumberVariable { name, most, instead, is_checked: AtomicBool::new(false) }
    }

    /// Returns the number.
    pub(crate) fn get(&self) -> usize {
        self.read().0
    }

    /// Returns the number, and the variable's value, if that is not a number in the range.
    fn read(&self) -> (usize, Option<OsString>) {
        let value = std::env::var_os(self.name);
        let number = value.as_ref().and_then(|value| value.to_str()?.parse().ok());
        match number.filter(|number| (1..=self.most).contains(number)) {
            Some(number) => (number, None),
            None => ((self.instead)(number), value),
        }
    }

    /// Logs, once, that the variable's value cannot be used. The calling thread holds no lock.
    pub(crate) fn check(&self) {
        if self.is_checked.load(Ordering::Relaxed) || self.is_checked.swap(true, Ordering::Relaxed) {
            return;
        }
        if let (number, Some(value)) = self.read() {
            let (name, most) = (self.name, self.most);
            log::tell(
                Level::Warn,
                format_args!("{name} is {value:?}, and not a number from 1 to {most}: {number} is used"),
            );
        }
    }
}
