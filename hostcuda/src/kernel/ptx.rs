//! PTX texts. Reads the names of their kernels, and the names and lengths of their variables.

use super::image::{Contents, Declared};
use std::ffi::CString;

/// The length limit of texts.
pub(super) const MOST: usize = 64 << 20;

/// Adds the declarations of a text. Ignores whatever it cannot parse.
pub(super) fn read(text: &[u8], to: &mut Contents) {
    let end = text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let text = &text[..end];
    // Compressed code has control bytes, even if its beginning looks like text.
    let is_text = !text.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace());
    if !is_text || text.len() > MOST {
        return;
    }
    for statement in Statements(text) {
        let Ok(statement) = str::from_utf8(&statement) else { continue };
        let mut words = statement.split_whitespace();
        if words.any(|word| word == ".entry") {
            let name = words.next().and_then(|word| word.split('(').next());
            to.kernels.extend(name.and_then(|name| CString::new(name).ok()));
        } else if let Some((name, declared)) = variable(statement) {
            to.variables.entry(name).or_insert(declared);
        }
    }
}

/// The statements at a text's outermost level, without comments and strings. A statement ends with a semicolon or with a function body.
/// Initializers in braces are omitted.
struct Statements<'a>(&'a [u8]);

impl Iterator for Statements<'_> {
    type Item = Vec<u8>;

    /// Returns the next statement; `None` also if memory is short.
    fn next(&mut self) -> Option<Vec<u8>> {
        let (mut statement, mut depth, mut is_value) = (Vec::new(), 0_usize, false);
        while let Some((next, rest)) = self.0.split_first() {
            if let Some(behind) = skip(self.0) {
                self.0 = behind;
                continue;
            }
            self.0 = rest;
            match next {
                b'=' if depth == 0 => is_value = true,
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && (*next == b';' || *next == b'}' && !is_value) {
                return Some(statement);
            }
            if depth == 0 {
                statement.try_reserve(1).ok()?;
                statement.push(*next);
            }
        }
        None
    }
}

/// Returns the rest after a comment or a string, if the text begins with one.
fn skip(text: &[u8]) -> Option<&[u8]> {
    let (start, end): (_, &[u8]) = match text {
        [b'/', b'/', ..] => (2, b"\n"),
        [b'/', b'*', ..] => (2, b"*/"),
        [b'"', ..] => (1, b"\""),
        _ => return None,
    };
    let inside = &text[start..];
    let len = inside.windows(end.len()).position(|here| here == end);
    Some(len.map_or(&[], |len| &inside[len + end.len()..]))
}

/// Returns a device variable. The statement must have its space, its type, its name and all its lengths, in this order.
fn variable(statement: &str) -> Option<(CString, Declared)> {
    let declaration = statement.split('=').next()?;
    let (place, lengths) = declaration.split_once('[').map_or((declaration, ""), |(place, lengths)| (place, lengths));
    let words: Vec<&str> = place.split_whitespace().collect();
    let has = |word: &str| words.contains(&word);
    if !(has(".global") || has(".const")) || has(".extern") {
        return None;
    }
    let (name, kinds) = words.split_last()?;
    let mut len = kinds.iter().rev().find_map(|word| size_of_type(word))?;
    for length in lengths.split('[').filter(|length| !length.trim().is_empty()) {
        len = len.checked_mul(length.trim().trim_end_matches(']').trim().parse().ok()?)?;
    }
    let lanes = [(".v2", 2), (".v4", 4)].into_iter().find_map(|(word, lanes)| has(word).then_some(lanes));
    let declared = Declared { len: len.checked_mul(lanes.unwrap_or(1))?, is_managed: place.contains(".managed") };
    Some((CString::new(*name).ok().filter(|name| !name.as_bytes().starts_with(b"."))?, declared))
}

/// Returns the size of a type such as `.u32` in bytes.
fn size_of_type(word: &str) -> Option<usize> {
    match word.strip_prefix('.')?.strip_prefix(['b', 'u', 's', 'f'])? {
        "8" => Some(1),
        "16" => Some(2),
        "32" | "16x2" => Some(4),
        "64" => Some(8),
        "128" => Some(16),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Contents {
        let mut contents = Contents::default();
        read(text.as_bytes(), &mut contents);
        contents
    }

    #[test]
    fn variables_and_kernels_are_found() {
        let contents = read_text(
            "// .global .u32 comment = 1;\n.version 7.0\n.target sm_52\n.address_size 64\n\
             .file 1 \"/a;b{//c\"\n.visible .global .align 4 .u32 one = 7;\n/* .const .u8 x; */\n\
             .const .align 8 .b8 table[6] = {1, 2, 0x03};\n.global .v4 .f32 four;\n.global .u16 square[2][3];\n\
             .global .attribute(.managed) .align 8 .u64 both;\n.extern .global .u32 elsewhere;\n\
             .visible .entry fill(\n.param .u64 a\n)\n{ .shared .align 4 .b8 s[4]; .global .u32 inside; ret; }\n\
             .func (.param .b32 r) helper() { { ret; } }\n.entry last() {}",
        );
        let len = |name: &std::ffi::CStr| contents.variables.get(name).map(|of| of.len);
        assert_eq!(len(c"one"), Some(4));
        assert_eq!(len(c"table"), Some(6));
        assert_eq!(len(c"four"), Some(16));
        assert_eq!(len(c"square"), Some(12));
        assert!(contents.variables[c"both"].is_managed && !contents.variables[c"one"].is_managed);
        assert_eq!(contents.variables.len(), 5);
        let kernels: Vec<_> = contents.kernels.iter().map(|name| name.to_str().expect("plain")).collect();
        assert_eq!(kernels, ["fill", "last"]);
    }

    #[test]
    fn what_is_cut_off_or_wrong_is_left_out() {
        let whole = ".global .align 4 .b8 table[3][2] = {1, {-2, 0x7}, \"x\"};\n.entry a() { ret; }\n.const .u32 b=5;";
        for len in 0..whole.len() {
            let _ = read_text(&whole[..len]);
            let _ = read_text(&whole[len..]);
        }
        for text in [
            ".global .u32 huge[99999999999999999999];",
            ".global .u64 huge[4611686018427387904];",
            ".global ;",
            ".global .u32;",
            ".global .texref t;",
            ".global .u8 open[];",
            "}};{{",
            "\"",
            "/*",
        ] {
            assert!(read_text(text).variables.is_empty(), "{text}");
        }
        let mut contents = Contents::default();
        read(&[0xFF; 9], &mut contents);
        assert!(contents.variables.is_empty());
        read(b"// caf\xE9\n.global .u32 one = 7;\0\0", &mut contents);
        assert!(contents.variables.contains_key(c"one"));
    }
}
