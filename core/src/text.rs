//! Text in place, which needs no memory and no destructor.

use std::ffi::CStr;
use std::fmt::{Display, Error, Formatter, Result, Write};

/// Text of less than `SIZE` bytes, with room for a NUL. Longer text is cut at a whole character.
#[derive(Clone, Copy)]
pub struct Text<const SIZE: usize> {
    bytes: [u8; SIZE],
    len: usize,
}

impl<const SIZE: usize> Text<SIZE> {
    /// No text.
    pub const EMPTY: Text<SIZE> = Text { bytes: [0; SIZE], len: 0 };

    /// Returns what the value is in words.
    pub fn of(value: impl Display) -> Text<SIZE> {
        let mut text = Text::EMPTY;
        // Longer text is cut.
        let _ = write!(text, "{value}");
        text
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }

    /// Returns the text for C.
    pub fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or(c"")
    }
}

impl<const SIZE: usize> Write for Text<SIZE> {
    fn write_str(&mut self, text: &str) -> Result {
        for character in text.chars().filter(|character| *character != '\0') {
            let end = self.len + character.len_utf8();
            if end >= SIZE {
                return Err(Error);
            }
            character.encode_utf8(&mut self.bytes[self.len..end]);
            self.len = end;
        }
        self.bytes[self.len] = 0;
        Ok(())
    }
}

/// An event's name. Displayed, its control characters are escaped: a message stays one line.
#[derive(Clone, Copy)]
pub struct Name {
    len: u8,
    bytes: [u8; Name::MAX],
}

impl Name {
    /// The longest name, in bytes.
    pub const MAX: usize = 63;

    /// Returns the name, cut at a whole character if it is too long.
    pub fn new(name: &str) -> Name {
        let mut bytes = [0; Name::MAX];
        let len = (0..=name.len().min(Name::MAX)).rev().find(|end| name.is_char_boundary(*end)).unwrap_or(0);
        bytes[..len].copy_from_slice(&name.as_bytes()[..len]);
        Name { len: len as u8, bytes }
    }

    /// Returns the name as it was given.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len.into()]).unwrap_or_default()
    }

    /// Returns whether the name is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Default for Name {
    fn default() -> Name {
        Name::new("")
    }
}

impl std::fmt::Debug for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        std::fmt::Debug::fmt(self.as_str(), f)
    }
}

impl Display for Name {
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
mod tests {
    use super::*;

    #[test]
    fn a_name_is_shown_on_one_line() {
        let name = Name::new("a\nb\t\x1b[2J\u{85}\u{2028}é\"\\");
        assert_eq!(name.to_string(), "a\\nb\\t\\u{1b}[2J\\u{85}\\u{2028}é\"\\");
        assert_eq!(name.as_str(), "a\nb\t\x1b[2J\u{85}\u{2028}é\"\\");
    }

    #[test]
    fn what_is_too_long_is_cut_at_a_whole_character() {
        let long = "é".repeat(40);
        assert_eq!(Name::new(&long).as_str(), "é".repeat(31));
        assert_eq!(Text::<64>::of(&long).as_str(), "é".repeat(31));
        assert_eq!(Text::<64>::of(&long).as_c_str().count_bytes(), 62);
    }
}
