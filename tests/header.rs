//! The header is what the sources say, and says something of every item.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The sources of the C API, in the order in which the header shows them.
const SOURCES: [&str; 10] = [
    "types.rs",
    "codes.rs",
    "library.rs",
    "last.rs",
    "context.rs",
    "stream.rs",
    "event.rs",
    "record.rs",
    "sync.rs",
    "ipc.rs",
];

fn generated() -> String {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).expect("cbindgen.toml is valid");
    let sources =
        SOURCES.into_iter().chain(["info.rs", "log.rs", "trace.rs"]).map(|name| root().join("src").join(name));
    let builder =
        sources.fold(cbindgen::Builder::new().with_config(config), |builder, source| builder.with_src(source));
    let mut text = Vec::new();
    builder.generate().expect("the sources can be read").write(&mut text);
    String::from_utf8(text).expect("a header is text")
}

fn committed() -> PathBuf {
    root().join("include/gevt.h")
}

/// With GEVT_BLESS set, writes the header instead of comparing it.
#[test]
fn header_is_fresh() {
    let generated = generated();
    if std::env::var_os("GEVT_BLESS").is_some() {
        fs::write(committed(), &generated).expect("the header can be written");
    }
    let committed = fs::read_to_string(committed()).expect("include/gevt.h exists");
    assert!(committed == generated, "include/gevt.h is out of date: run ci/header.sh --bless");
}

/// A line that begins an item of the API.
fn begins_item(line: &str) -> bool {
    let defines = line.starts_with("#define GEVT_")
        && !["GEVT_H", "GEVT_NODISCARD", "GEVT_NOEXCEPT"].iter().any(|own| line.split_whitespace().nth(1) == Some(own));
    // "typedef struct x x;" only announces the struct behind a handle.
    let announces = line.starts_with("typedef struct ") && line.ends_with("_s;");
    defines || (line.starts_with("typedef ") && !announces) || line.contains("gevt_") && line.contains("GEVT_NOEXCEPT;")
}

#[test]
fn every_item_is_documented() {
    let header = fs::read_to_string(committed()).expect("include/gevt.h exists");
    let lines: Vec<&str> = header.lines().collect();
    let mut items = 0;
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| begins_item(line)) {
        items += 1;
        // A declaration may begin some lines above the one that ends it.
        let above = lines[..at].iter().rev().find(|line| line.trim_start().starts_with("*/") || line.is_empty());
        assert!(above.is_some_and(|line| line.trim_start() == "*/"), "no comment above: {line}");
    }
    assert!(items > 100, "the test no longer recognises the header's items: {items}");
    for field in lines
        .iter()
        .skip_while(|line| !line.contains("struct gevt_event_info_t {"))
        .take_while(|line| **line != "} gevt_event_info_t;")
    {
        let is_field = field.trim_end().ends_with(';');
        let at = lines.iter().position(|line| line == field).unwrap_or(0);
        assert!(!is_field || lines[at - 1].trim() == "*/", "no comment above: {field}");
    }
}

/// The functions of the header, the exports of the library and the committed list are the same, and each has its version.
#[test]
fn exports_are_the_committed_list() {
    let header = fs::read_to_string(committed()).expect("include/gevt.h exists");
    let mut declared: Vec<&str> = header
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| is_function(&header, word))
        .collect();
    declared.sort_unstable();
    declared.dedup();
    let list = fs::read_to_string(root().join("tests/exports.txt")).expect("the list exists");
    assert_eq!(declared, list.lines().collect::<Vec<_>>(), "tests/exports.txt and the header differ");

    let mut library = std::env::current_exe().expect("this test has a path");
    // cargo leaves what it builds for the tests beside them.
    library.pop();
    library.push("libgevt.so");
    let nm = Command::new("nm").args(["-D", "--defined-only", "--format=posix"]).arg(&library).output();
    let nm = nm.expect("nm is installed (binutils)");
    assert!(nm.status.success(), "nm cannot read {}", library.display());
    let symbols = String::from_utf8(nm.stdout).expect("names are text");
    // Some linkers list the version as a symbol, too.
    let mut exported: Vec<&str> =
        symbols.lines().filter_map(|line| line.split(' ').next()).filter(|name| !name.starts_with("GEVT_")).collect();
    exported.sort_unstable();
    let version = concat!("@@GEVT_", env!("CARGO_PKG_VERSION_MAJOR"));
    let versioned: Vec<String> = list.lines().map(|name| format!("{name}{version}")).collect();
    assert_eq!(exported, versioned, "the library exports something else than the list, or with another version");
}

fn is_function(header: &str, word: &str) -> bool {
    word.starts_with("gevt_") && header.contains(&format!("{word}(")) && !word.ends_with("_t")
}

#[test]
fn codes_are_the_cores() {
    let header = fs::read_to_string(committed()).expect("include/gevt.h exists");
    let number = |name: &str| {
        let line =
            header.lines().find(|line| line.starts_with("#define") && line.split_whitespace().nth(1) == Some(name));
        line.and_then(|line| line.split_whitespace().nth(2)).and_then(|number| number.parse::<i32>().ok())
    };
    for status in gevt_core::Status::ALL {
        assert_eq!(number(status.name().to_str().expect("a name")), Some(status.0));
    }
    for detail in gevt_core::Detail::ALL {
        assert_eq!(number(detail.c_name().to_str().expect("a name")), Some(*detail as i32));
    }
    let count = |prefix: &str| header.lines().filter(|line| line.starts_with(&format!("#define {prefix}"))).count();
    assert_eq!(count("GEVT_ERROR_"), gevt_core::Status::ALL.len() - 1);
    assert_eq!(count("GEVT_DETAIL_"), gevt_core::Detail::ALL.len() + 1);
}
