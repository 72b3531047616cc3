//! Text in place, which needs no memory and no destructor.

use std::ffi::CStr;
use std::fmt::{Error, Result, Write};

/// Text of less than `SIZE` bytes, cut where it does not fit, and with room for a NUL.
#[derive(Clone, Copy)]
pub struct Text<const SIZE: usize> {
    bytes: [u8; SIZE],
    len: usize,
}

impl<const SIZE: usize> Text<SIZE> {
    pub const EMPTY: Text<SIZE> = Text { bytes: [0; SIZE], len: 0 };

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }

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
