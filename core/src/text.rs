//! Text in place, which needs no memory and no destructor.

use std::ffi::{CStr, c_char};
use std::fmt::{Display, Error, Formatter, Result, Write};

/// Text of less than `SIZE` bytes, with room for a NUL. Longer text is cut at a whole character. Displayed, its control characters are
/// escaped: a message stays one line.
#[derive(Clone, Copy)]
pub struct Text<const SIZE: usize> {
    bytes: [u8; SIZE],
    len: u16,
}

/// The name of an event or a stream.
pub type Name = Text<64>;

impl<const SIZE: usize> Text<SIZE> {
    /// The longest text, in bytes.
    pub const MAX: usize = SIZE - 1;
    /// No text.
    pub const EMPTY: Text<SIZE> = Text { bytes: [0; SIZE], len: 0 };

    /// Returns what the value is in words, without NULs.
    pub fn of(value: impl Display) -> Text<SIZE> {
        let mut text = Text::EMPTY;
        // Longer text is cut.
        let _ = write!(text, "{value}");
        text
    }

    /// Returns the text as it was given.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len.into()]).unwrap_or_default()
    }

    /// Returns the text for C.
    pub fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or(c"")
    }

    /// Returns the text as an array of C, with NULs after it.
    pub fn to_array(&self) -> [c_char; SIZE] {
        self.bytes.map(|byte| byte as c_char)
    }

    /// Returns whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<const SIZE: usize> Write for Text<SIZE> {
    fn write_str(&mut self, text: &str) -> Result {
        for character in text.chars().filter(|character| *character != '\0') {
            let len = usize::from(self.len);
            let end = len + character.len_utf8();
            if end >= SIZE {
                return Err(Error);
            }
            character.encode_utf8(&mut self.bytes[len..end]);
            self.len = end as u16;
        }
        Ok(())
    }
}

impl<const SIZE: usize> std::fmt::Debug for Text<SIZE> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        std::fmt::Debug::fmt(self.as_str(), f)
    }
}

impl<const SIZE: usize> Display for Text<SIZE> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for character in self.as_str().chars() {
            // U+2028 and U+2029 end a line as a newline does.
            if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') {
                write!(f, "{}", character.escape_default())?;
            } else {
                f.write_char(character)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
