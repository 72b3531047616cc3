//! Generates include/gevt.h: cbindgen translates the items of src/, the core has the codes, and src/gevt.h.in says where each one goes.

use gevt_core::{Detail, Status};
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::fs;
use std::path::Path;

/// An item as C declares it, with its comment, and its position in cbindgen's output.
struct Item {
    place: usize,
    text: String,
}

/// Returns the text of the header.
///
/// # Panics
/// If an item of the sources has no place in the template, or the template names an item that does not exist.
pub fn header(root: &Path) -> String {
    let mut items = items(root);
    let template = fs::read_to_string(root.join("src/gevt.h.in")).expect("the template can be read");
    let mut header = String::new();
    for line in template.lines() {
        match line.strip_prefix('@') {
            None => header += &(with_version(line) + "\n"),
            Some(names) => header += &take(&mut items, names),
        }
    }
    assert!(items.is_empty(), "src/gevt.h.in has no place for {:?}", items.keys());
    // An item brings the blank line before it.
    header.replace("\n\n\n", "\n\n").replace("\n\n\n", "\n\n").replace("@{ */\n\n", "@{ */\n")
}

fn with_version(line: &str) -> String {
    line.replace("@VERSION_MAJOR@", env!("CARGO_PKG_VERSION_MAJOR"))
        .replace("@VERSION_MINOR@", env!("CARGO_PKG_VERSION_MINOR"))
        .replace("@VERSION_PATCH@", env!("CARGO_PKG_VERSION_PATCH"))
}

/// Removes the named items and returns their text. A name such as `GEVT_LOG_*` stands for all items with that prefix, in the order of the
/// sources.
fn take(items: &mut BTreeMap<String, Item>, names: &str) -> String {
    let mut taken = Vec::new();
    for name in names.split(' ') {
        let prefix = name.strip_suffix('*');
        let is_named = |item: &str| prefix.map_or(item == name, |prefix| item.starts_with(prefix));
        let keys: Vec<String> = items.keys().filter(|item| is_named(item)).cloned().collect();
        let mut found: Vec<Item> = keys.iter().filter_map(|key| items.remove(key)).collect();
        assert!(!found.is_empty(), "src/gevt.h.in names {name}, which is not in src/");
        found.sort_by_key(|item| item.place);
        taken.append(&mut found);
    }
    let lines: Vec<String> =
        taken.iter().flat_map(|item| [""].into_iter().chain(item.text.lines())).map(str::to_string).collect();
    trailing(lines).join("\n") + "\n"
}

/// The longest line that has a declaration and its comment.
const WIDTH: usize = 150;

/// Puts the comment of a constant, a type's name or a field behind it if both fit on a line, and removes the empty lines
/// between such constants and names.
fn trailing(lines: Vec<String>) -> Vec<String> {
    let is_alone = |line: &str| line.starts_with("#define ") || line.starts_with("typedef ") && line.ends_with(';');
    let is_simple = |line: &str| is_alone(line) || line.starts_with("    ") && line.ends_with(';');
    let mut rows: Vec<(String, Option<String>)> = Vec::new();
    for line in lines {
        let comment = match rows.last() {
            Some((above, None)) if is_simple(&line) && line.len() + above.len() < WIDTH => above
                .trim_start()
                .strip_prefix("/** ")
                .filter(|text| text.ends_with("*/"))
                .map(|text| format!("/**< {text}")),
            _ => None,
        };
        if comment.is_some() {
            rows.pop();
            if is_alone(&line) && rows.len() > 1 && rows[rows.len() - 2].1.is_some() {
                rows.pop();
            }
        }
        rows.push((line, comment));
    }
    let mut text = Vec::new();
    for group in rows.chunk_by(|one, other| one.1.is_some() && other.1.is_some()) {
        let column = group.iter().map(|(line, _)| line.len()).max().unwrap_or(0);
        let widest = group.iter().filter_map(|(_, comment)| comment.as_ref()).map(String::len).max().unwrap_or(0);
        for (line, comment) in group {
            text.push(match comment {
                Some(comment) if column + widest < WIDTH => format!("{line:column$} {comment}"),
                Some(comment) => format!("{line} {comment}"),
                None => line.clone(),
            });
        }
    }
    text
}

fn items(root: &Path) -> BTreeMap<String, Item> {
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml is valid");
    let mut sources: Vec<_> = fs::read_dir(root.join("src"))
        .expect("src/ can be read")
        .map(|entry| entry.expect("src/ can be read").path())
        .filter(|path| path.to_str().is_some_and(|path| path.ends_with(".rs") && !path.ends_with("_tests.rs")))
        .collect();
    sources.sort();
    let builder = cbindgen::Builder::new().with_config(config);
    let builder = sources.iter().fold(builder, |builder, source| builder.with_src(source));
    let mut text = Vec::new();
    builder.generate().expect("the sources can be read").write(&mut text);
    let text = with_pointers(String::from_utf8(text).expect("a header is text"));
    let rust: String = sources.iter().map(|path| fs::read_to_string(path).expect("a source can be read")).collect();

    let blocks = text.split("\n\n").map(str::trim).filter(|block| block.starts_with("/**") && !block.contains(OUTS));
    let named = blocks.enumerate().map(|(place, block)| (name(block), Item { place, text: tidy(block, &rust) }));
    named.chain(codes()).chain(handles()).collect()
}

/// In the declaration of the type that cbindgen makes of each kind of `Out`.
const OUTS: &str = "*Out_";

/// Spells outputs as the pointers that they are.
fn with_pointers(text: String) -> String {
    let split = |line: &str| {
        let (pointed, name) = line.strip_prefix("typedef ")?.strip_suffix(';')?.split_once(OUTS)?;
        Some((format!("Out_{name} "), format!("{pointed}*")))
    };
    let outs: Vec<_> = text.lines().filter_map(split).collect();
    outs.iter().fold(text, |text, (name, pointer)| text.replace(name, pointer))
}

/// The types of the handles, which the core has.
fn handles() -> impl Iterator<Item = (String, Item)> {
    let texts = [
        ("event", "A handle to an event."),
        ("stream", "A handle to a stream. NULL is the default stream of the current context."),
        ("context", "A handle to a context: one device of one backend."),
    ];
    texts.into_iter().map(|(kind, text)| {
        let text = format!("/** {text} */\ntypedef struct gevt_{kind}_s *gevt_{kind}_t;");
        (format!("gevt_{kind}_t"), Item { place: 0, text })
    })
}

/// The constants of the statuses and details.
fn codes() -> impl Iterator<Item = (String, Item)> {
    let item = |(name, number, text): (&CStr, i32, String)| {
        let name = name.to_str().expect("a name is text");
        (name.to_string(), Item { place: number as usize, text: format!("/** {text} */\n#define {name} {number}") })
    };
    let status = |status: &Status| (status.name(), status.0, status.text().to_string_lossy().into_owned());
    let detail = |detail: &Detail| (detail.c_name(), *detail as i32, detail.text().to_string());
    let none = (c"GEVT_DETAIL_NONE", 0, "No call has failed on this thread.".to_string());
    Status::ALL.iter().map(status).chain([none]).chain(Detail::ALL.iter().map(detail)).map(item)
}

/// Returns the name that a block declares.
fn name(block: &str) -> String {
    let declaration = block.rsplit_once("*/").map_or(block, |(_, declaration)| declaration).trim();
    let mut words = declaration.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| {
        (word.starts_with("gevt_") || word.starts_with("GEVT_"))
            && !["GEVT_API", "GEVT_NODISCARD", "GEVT_NOEXCEPT"].contains(word)
    });
    let name = if declaration.ends_with("GEVT_NOEXCEPT;") {
        words.find(|word| declaration.contains(&format!("{word}(")))
    } else if declaration.starts_with('#') || declaration.contains("(*") {
        words.next()
    } else {
        words.next_back()
    };
    name.unwrap_or_else(|| panic!("no name in: {block}")).to_string()
}

/// Turns rustdoc's sections into Doxygen's commands, and numbers into what the Rust source spells.
fn tidy(block: &str, rust: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut errors: Vec<String> = Vec::new();
    let mut section = "";
    for line in block.lines() {
        match (section, line.trim()) {
            (_, heading) if heading.starts_with("* # ") => section = &heading[4..],
            (_, "*/") => {
                lines.truncate(lines.iter().rposition(|line| line != " *").map_or(0, |last| last + 1));
                lines.extend((!errors.is_empty()).then(|| " *".to_string()));
                lines.extend(errors.drain(..).flat_map(|error| results(&error)));
                lines.push(line.to_string());
                section = "";
            }
            // The header's front page has the rules for pointers.
            ("Safety", _) => {}
            ("Errors" | "Returns", text) => match (text.strip_prefix("* - "), errors.last_mut()) {
                (Some(error), _) => errors.push(error.to_string()),
                (None, Some(error)) if text != "*" => *error += &text[1..].replace("   ", " "),
                _ => {}
            },
            _ => lines.push(line.to_string()),
        }
    }
    if let Some(declaration) = lines.last_mut() {
        if declaration.ends_with("GEVT_NOEXCEPT;") {
            *declaration = declaration.replace("struct gevt_", "gevt_");
            // The end of an object is the only call whose status may be left unread. An attribute of C++ stands before everything else.
            if !["_destroy(", "_close("].iter().any(|end| declaration.contains(end)) {
                *declaration = declaration.replace("GEVT_API gevt_status_t", "GEVT_NODISCARD GEVT_API gevt_status_t");
            }
        }
        *declaration = spelled_in_rust(declaration, rust);
    }
    one_line(lines).join("\n")
}

/// Returns a Doxygen command for each code of "CODE, CODE: condition", in lines of at most 140 bytes. One that names no codes, such as
/// "The status of the event, with a detail: condition", is one sentence.
fn results(error: &str) -> Vec<String> {
    let (codes, condition) = error.split_once(": ").expect("an error has a condition");
    let capital = condition[..1].to_uppercase() + &condition[1..];
    let is_code = |code: &str| code.starts_with("GEVT_") && !code.contains(' ');
    let (starts, text) = if codes.split(", ").all(is_code) {
        (codes.split(", ").map(|code| format!(" * @retval {code}")).collect(), capital.as_str())
    } else {
        (vec![" * @return".to_string()], error)
    };
    let mut lines = Vec::new();
    for mut line in starts {
        for word in text.split(' ') {
            if line.len() + word.len() >= 140 {
                lines.push(std::mem::replace(&mut line, " *        ".to_string()));
            }
            line = line + " " + word;
        }
        lines.push(line);
    }
    lines
}

/// Begins and ends each comment on a line of its text.
fn one_line(lines: Vec<String>) -> Vec<String> {
    let mut short: Vec<String> = Vec::new();
    for line in lines {
        match &mut short[..] {
            [.., start] if start.trim() == "/**" && line.trim() != "*/" => {
                *start = format!("{} {}", start, line.trim_start().trim_start_matches("* "));
            }
            [.., text] if line.trim() == "*/" && !text.ends_with("*/") => {
                *text += " */";
            }
            _ => short.push(line),
        }
    }
    short
}

/// Restores hexadecimal numbers, which cbindgen writes as decimal ones.
fn spelled_in_rust(declaration: &str, rust: &str) -> String {
    let Some((start, _)) = declaration.strip_prefix("#define ").and_then(|rest| rest.split_once(' ')) else {
        return declaration.to_string();
    };
    let constant = rust.split(&format!("pub const {start}: ")).nth(1).and_then(|rest| rest.split(';').next());
    match constant.and_then(|constant| constant.split_once("= 0x")) {
        Some((_, digits)) => format!("#define {start} 0x{digits}"),
        None => declaration.to_string(),
    }
}
