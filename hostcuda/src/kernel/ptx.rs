//! Device code as a text: PTX, of which the variables and the kernels' names are read.

use super::image::{Contents, Declared};
use super::initialiser::{Initialiser, Type, number};
use std::ffi::CString;

/// The longest text that is read, and the most bytes of first values that an image's texts have together.
pub(super) const MOST: usize = 64 << 20;
/// The most dimensions of an array, the elements of a vector being one.
const MOST_DIMENSIONS: usize = 16;

/// Adds what a text declares. What is not understood is left out.
pub(super) fn read(text: &[u8], to: &mut Contents) {
    let end = text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let text = &text[..end];
    // Compressed code has such bytes, and may begin as a text does.
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
        } else if !statement.split_whitespace().any(|word| word == ".extern")
            && let Some((name, declared)) = variable(statement, &mut to.room)
        {
            to.variables.entry(name).or_insert(declared);
        }
    }
}

/// What stands at a text's outermost level, without comments and strings: up to a semicolon, or the braces of a function.
struct Statements<'a>(&'a [u8]);

impl Iterator for Statements<'_> {
    type Item = Vec<u8>;

    /// Returns the next statement; `None` also if there is no memory for it.
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
            if depth == 0 || is_value {
                statement.try_reserve(1).ok()?;
                statement.push(*next);
            }
        }
        None
    }
}

/// Returns what is behind a comment or a string, if the text begins with one.
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

/// Returns a variable: its space, then what it is like, then its name, its length, and its value, whose bytes take room, also if they are
/// not understood.
fn variable(statement: &str, room: &mut usize) -> Option<(CString, Declared)> {
    let at = [".global", ".const"].into_iter().find_map(|space| {
        let at = statement.find(space)? + space.len();
        statement[at..].starts_with(|next: char| next.is_ascii_whitespace()).then_some(at)
    })?;
    let (place, value) = statement[at..].split_once('=').unwrap_or((&statement[at..], ""));
    let (place, lengths) = place.split_once('[').map_or((place, None), |(place, lengths)| (place, Some(lengths)));
    let (kinds, name) = place.trim().rsplit_once(|next: char| next.is_ascii_whitespace())?;
    let form = kinds.split_whitespace().rev().find_map(Type::of)?;
    let mut extents = Vec::new();
    for length in lengths.into_iter().flat_map(|lengths| lengths.split('[')) {
        let length = length.trim().trim_end_matches(']').trim();
        let is_open = length.is_empty() && extents.is_empty();
        extents.push(if is_open { None } else { Some(usize::try_from(number(length)?).ok()?) });
        if extents.len() == MOST_DIMENSIONS {
            return None;
        }
    }
    let lanes = kinds.split_whitespace().find_map(|word| match word {
        ".v2" => Some(2),
        ".v4" => Some(4),
        _ => None,
    });
    extents.extend(lanes.map(Some));
    if extents.is_empty() {
        extents.push(Some(1));
    }
    let (count, first) = Initialiser::read(value, form, &extents, room)?;
    let declared = Declared { len: count.checked_mul(form.size)?, first, is_managed: kinds.contains(".managed") };
    Some((CString::new(name).ok()?, declared))
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
    fn rows_and_vectors_have_the_lengths_that_are_declared() {
        let contents = read_text(
            ".global .v2 .u8 pairs[] = {{1, 2}, {3, 4}};\n.global .u8 rows[][2] = {{1, 2}, {3, 4}};\n\
             .global .u16 padded[2][3] = {{1}, {2, 3}};\n.global .u8 flat[][2] = {1, 2, 3};\n/*/ .global .u8 no; */\n\
             .global .v4 .u8 lanes = {1, 2, 3, 4};\n.global .u8 one = {9};\n.global .v2 .u8 few[3] = {{1}, {2}};\n\
             .global .u8 deep[2][2][2] = {{{1}, {2}}, {{3}}};",
        );
        assert_eq!(bytes(&contents, c"pairs"), (4, vec![1, 2, 3, 4]));
        assert_eq!(bytes(&contents, c"rows"), (4, vec![1, 2, 3, 4]));
        assert_eq!(bytes(&contents, c"padded"), (12, vec![1, 0, 0, 0, 0, 0, 2, 0, 3, 0]));
        assert_eq!(bytes(&contents, c"flat"), (4, vec![1, 2, 3]));
        assert_eq!(bytes(&contents, c"lanes"), (4, vec![1, 2, 3, 4]));
        assert_eq!(bytes(&contents, c"one"), (1, vec![9]));
        assert_eq!(bytes(&contents, c"few"), (6, vec![1, 0, 2]));
        assert_eq!(bytes(&contents, c"deep"), (8, vec![1, 0, 2, 0, 3]));
        assert_eq!(contents.variables.len(), 8);
    }

    #[test]
    fn values_that_are_not_understood_take_room_as_others_do() {
        let contents = read_text(
            ".global .u8 wrong[2][60000000] = {{}, 1, x};\n.global .u8 large[2][60000000] = {{}, 1};\n\
                                  .global .u8 small[] = {1};",
        );
        assert_eq!(contents.variables.keys().collect::<Vec<_>>(), [c"small"]);
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
            ".global .u8 long[2] = {1, 2, 3};",
            ".global .u8 deep[2] = {{1}};",
            ".global .u8 askew[2][2] = {1, {2}};",
            ".global .u8 open[2][] = {1};",
            ".global .u8 open[];",
            ".global .u8 behind[2] = {1} 2;",
            ".global .u8 far[2][0x4000000000] = {{1}, {2}};",
            ".global .u8 many[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1];",
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
