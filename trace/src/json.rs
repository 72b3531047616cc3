//! Text of JSON.

use std::fmt::{Display, Formatter, Result, Write};

/// A string with its quotes; what JSON does not allow in one is escaped.
pub(super) struct Quoted<T>(pub(super) T);

impl<T: Display> Display for Quoted<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_char('"')?;
        write!(Escaping(f), "{}", self.0)?;
        f.write_char('"')
    }
}

/// Escapes what passes through.
struct Escaping<'a, 'b>(&'a mut Formatter<'b>);

impl Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> Result {
        for character in text.chars() {
            match character {
                '"' | '\\' => write!(self.0, "\\{character}")?,
                '\0'..='\x1f' | '\x7f' => write!(self.0, "\\u{:04x}", u32::from(character))?,
                _ => self.0.write_char(character)?,
            }
        }
        Ok(())
    }
}

/// Nanoseconds as the microseconds that the format has.
pub(super) struct Micros(pub(super) i64);

impl Display for Micros {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let ns = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:03}", ns / 1000, ns % 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped() {
        let hostile = "a\"b\\c\n\t\0\x1b\x7f\u{2028}é";
        assert_eq!(Quoted(hostile).to_string(), "\"a\\\"b\\\\c\\u000a\\u0009\\u0000\\u001b\\u007f\u{2028}é\"");
        assert_eq!(Quoted(format_args!("{} {}", "\"", 7)).to_string(), "\"\\\" 7\"");
    }

    #[test]
    fn times_are_in_microseconds() {
        assert_eq!(Micros(0).to_string(), "0.000");
        assert_eq!(Micros(1_234_567).to_string(), "1234.567");
        assert_eq!(Micros(-1_005).to_string(), "-1.005");
    }
}
