//! Text of JSON.

use std::fmt::{Display, Write};

/// A string with its quotes; what JSON does not allow in one is escaped.
pub(super) fn quoted(value: impl Display) -> String {
    let mut text = String::from('"');
    for character in value.to_string().chars() {
        let _ = match character {
            '"' | '\\' => write!(text, "\\{character}"),
            '\0'..='\x1f' | '\x7f' => write!(text, "\\u{:04x}", u32::from(character)),
            _ => text.write_char(character),
        };
    }
    text.push('"');
    text
}

/// Nanoseconds as the microseconds that the format has.
pub(super) fn micros(ns: i64) -> String {
    let (sign, ns) = (if ns < 0 { "-" } else { "" }, ns.unsigned_abs());
    format!("{sign}{}.{:03}", ns / 1000, ns % 1000)
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
