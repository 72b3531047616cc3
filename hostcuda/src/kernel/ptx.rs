//! Device code as a text: PTX, of which the variables and the kernels' names are read.

use super::image::{Contents, Declared};
use std::ffi::CString;

/// Adds what a text declares. What is not understood is left out.
pub(super) fn read(text: &[u8], to: &mut Contents) {
    let end = text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let text = &text[..end];
    // Compressed code has such bytes, and may begin as a text does.
    if text.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()) {
        return;
    }
    for statement in statements(&String::from_utf8_lossy(text)) {
        let words: Vec<&str> = statement.split_whitespace().collect();
        if let Some(at) = words.iter().position(|word| *word == ".entry") {
            let name = words.get(at + 1).and_then(|word| word.split('(').next());
            to.kernels.extend(name.and_then(|name| CString::new(name).ok()));
        } else if !words.contains(&".extern")
            && let Some((name, declared)) = variable(&statement)
        {
            to.variables.entry(name).or_insert(declared);
        }
    }
}

/// Returns what stands at the text's outermost level, without comments and strings: up to a semicolon, or the braces of a function.
fn statements(text: &str) -> Vec<String> {
    let (mut all, mut statement, mut depth, mut is_value) = (Vec::new(), String::new(), 0_usize, false);
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let skipped = match next {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            _ => 0,
        };
        if skipped > 0 {
            rest = &rest[skipped..];
            continue;
        }
        rest = &rest[next.len_utf8()..];
        match next {
            '=' if depth == 0 => is_value = true,
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (next == ';' || next == '}' && !is_value) {
            all.push(std::mem::take(&mut statement));
            is_value = false;
        } else if depth == 0 || is_value {
            statement.push(next);
        }
    }
    all
}

/// Returns a variable: its space, then what it is like, then its name, its length, and its value.
fn variable(statement: &str) -> Option<(CString, Declared)> {
    let at = [".global", ".const"].into_iter().find_map(|space| {
        let at = statement.find(space)? + space.len();
        statement[at..].starts_with(|next: char| next.is_ascii_whitespace()).then_some(at)
    })?;
    let (place, value) = statement[at..].split_once('=').unwrap_or((&statement[at..], ""));
    let (place, lengths) = place.split_once('[').unwrap_or((place, ""));
    let words: Vec<&str> = place.split_whitespace().collect();
    let (name, kinds) = words.split_last()?;
    let form = kinds.iter().rev().find_map(|word| Type::of(word))?;
    let vector = if kinds.contains(&".v2") { 2 } else { 1 + 3 * usize::from(kinds.contains(&".v4")) };
    let elements = form.values(value)?;
    let mut count = vector;
    for length in lengths.split('[').map(|length| length.trim().trim_end_matches(']').trim()) {
        match length {
            "" if lengths.is_empty() => {}
            "" => count = count.checked_mul(elements.len())?,
            length => count = count.checked_mul(usize::try_from(number(length)?).ok()?)?,
        }
    }
    let first = elements.iter().take(count).flat_map(|value| value.to_le_bytes().into_iter().take(form.size)).collect();
    let is_managed = kinds.iter().any(|word| word.contains(".managed"));
    Some((CString::new(*name).ok()?, Declared { len: count.checked_mul(form.size)?, first, is_managed }))
}

/// A type such as `.u32`: its first letter, and its bytes.
#[derive(Clone, Copy)]
struct Type {
    letter: char,
    size: usize,
}

impl Type {
    fn of(word: &str) -> Option<Type> {
        let word = word.strip_prefix('.')?;
        let bits = word.strip_prefix(['b', 'u', 's', 'f'])?;
        let size = match bits {
            "8" => 1,
            "16" => 2,
            "32" | "16x2" => 4,
            "64" => 8,
            "128" => 16,
            _ => return None,
        };
        let letter = if bits == "16x2" { 'b' } else { word.chars().next()? };
        Some(Type { letter, size })
    }

    /// Returns the bits of an initialiser's values; `None` if one is not understood, as an address is.
    fn values(self, text: &str) -> Option<Vec<u128>> {
        let items = text.split(['{', '}', ',']).map(str::trim).filter(|item| !item.is_empty());
        items.map(|item| self.value(item)).collect()
    }

    fn value(self, text: &str) -> Option<u128> {
        match self.letter {
            'f' => real(text, self.size).or_else(|| number(text).filter(|value| *value == 0)),
            'b' => number(text).or_else(|| real(text, self.size)),
            _ => number(text),
        }
    }
}

/// Returns the bits of a whole number.
fn number(text: &str) -> Option<u128> {
    let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let digits = digits.trim_end_matches('U');
    let value = match digits.get(..2) {
        Some("0x" | "0X") => u128::from_str_radix(&digits[2..], 16).ok()?,
        Some("0b" | "0B") => u128::from_str_radix(&digits[2..], 2).ok()?,
        _ if digits.starts_with('0') && digits.len() > 1 => u128::from_str_radix(digits, 8).ok()?,
        _ => digits.parse().ok()?,
    };
    Some(if is_negative { value.wrapping_neg() } else { value })
}

/// Returns the bits of a floating-point number of four or eight bytes, which PTX writes in decimal, or by the bits of a number of four
/// (`0f3F800000`) or eight (`0d3FF0000000000000`).
fn real(text: &str, size: usize) -> Option<u128> {
    let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let hex = |len: usize| {
        let digits = digits[2..].strip_prefix('+').map_or(&digits[2..], |_| "");
        if digits.len() == len { u64::from_str_radix(digits, 16).ok() } else { None }
    };
    let is_decimal = || digits.contains(['.', 'e', 'E']) && !digits.starts_with(['i', 'I', 'n', 'N', '+', '-']);
    let bits = match (digits.get(..2), size) {
        (Some("0f" | "0F"), 4) => hex(8)?,
        (Some("0f" | "0F"), 8) => f64::from(f32::from_bits(hex(8)? as u32)).to_bits(),
        (Some("0d" | "0D"), 4) => (f64::from_bits(hex(16)?) as f32).to_bits().into(),
        (Some("0d" | "0D"), 8) => hex(16)?,
        (_, 4) if is_decimal() => (digits.parse::<f64>().ok()? as f32).to_bits().into(),
        (_, 8) if is_decimal() => digits.parse::<f64>().ok()?.to_bits(),
        _ => return None,
    };
    let sign = u128::from(is_negative) << (size * 8 - 1);
    Some(u128::from(bits) ^ sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Contents {
        let mut contents = Contents::default();
        read(text.as_bytes(), &mut contents);
        contents
    }

    fn bytes(contents: &Contents, name: &std::ffi::CStr) -> (usize, Vec<u8>) {
        contents.variables.get(name).map(|of| (of.len, of.first.clone())).expect("it is declared")
    }

    #[test]
    fn variables_and_kernels_are_found() {
        let contents = read_text(
            "// .global .u32 comment = 1;\n.version 7.0\n.target sm_52\n.address_size 64\n\
             .file 1 \"/a;b{//c\"\n.visible .global .align 4 .u32 one = 7;\n/* .const .u8 x; */\n\
             .const .align 8 .b8 table[6] = {1, 2, 0x03};\n.global .v4 .f32 four;\n.global .s16 minus = -2;\n\
             .global .f32 real[] = {0f3F800000, 0f40000000};\n.global .u16 square[2][3];\n\
             .global .attribute(.managed) .align 8 .u64 both;\n.extern .global .u32 elsewhere;\n.global .f32 all[4] = {1.5, -2.5E-1, 0d3FF8000000000000, 0};\n\
             .global .f64 wide[] = {1.5, -0f3FC00000, 1e3};\n.global .b32 bits = 0f40000000;\n\
             .visible .entry fill(\n.param .u64 a\n)\n{ .shared .align 4 .b8 s[4]; .global .u32 inside; ret; }\n\
             .func (.param .b32 r) helper() { { ret; } }\n.entry last() {}",
        );
        assert_eq!(bytes(&contents, c"one"), (4, vec![7, 0, 0, 0]));
        assert_eq!(bytes(&contents, c"table"), (6, vec![1, 2, 3]));
        assert_eq!(bytes(&contents, c"four"), (16, vec![]));
        assert_eq!(bytes(&contents, c"minus"), (2, vec![0xFE, 0xFF]));
        assert_eq!(bytes(&contents, c"real"), (8, vec![0, 0, 0x80, 0x3F, 0, 0, 0, 0x40]));
        assert_eq!(bytes(&contents, c"square"), (12, vec![]));
        let floats = |all: &[f32]| all.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
        let doubles = |all: &[f64]| all.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
        assert_eq!(bytes(&contents, c"all"), (16, floats(&[1.5, -0.25, 1.5, 0.0])));
        assert_eq!(bytes(&contents, c"wide"), (24, doubles(&[1.5, -1.5, 1000.0])));
        assert_eq!(bytes(&contents, c"bits"), (4, floats(&[2.0])));
        assert!(contents.variables[c"both"].is_managed);
        assert_eq!(contents.variables.len(), 10);
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
            ".global .u64 huge[0xFFFFFFFFFFFFFFFF];",
            ".global ;",
            ".global .u32;",
            ".global .texref t;",
            ".global .u64 there = generic(one);",
            ".global .u32 some[2] = {1, 1.5};",
            ".global .f32 whole = 1;",
            ".global .f32 word = inf;",
            ".global .f32 short = 0f3F;",
            ".global .f16 half = 0.5;",
            ".global .b8 byte = 0f3F800000;",
            ".global .u32 \u{1}packed;",
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
        assert_eq!(bytes(&contents, c"one"), (4, vec![7, 0, 0, 0]));
    }
}
