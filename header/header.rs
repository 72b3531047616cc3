//! include/gevt.h: that it is the one generated from src/, complete and documented.

mod generate;

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn committed() -> PathBuf {
    root().join("include/gevt.h")
}

/// With GEVT_BLESS set, writes the header instead of comparing it.
#[test]
fn header_is_fresh() {
    let generated = generate::header(root());
    if std::env::var_os("GEVT_BLESS").is_some() {
        fs::write(committed(), &generated).expect("the header can be written");
    }
    let committed = fs::read_to_string(committed()).expect("include/gevt.h exists");
    assert!(committed == generated, "include/gevt.h is out of date: run GEVT_BLESS=1 cargo test --test header");
}

/// Returns whether a line declares an item of the API.
fn declares(line: &str) -> bool {
    let own = ["GEVT_H", "GEVT_API", "GEVT_NODISCARD", "GEVT_NOEXCEPT"];
    let name = line.strip_prefix("#define ").and_then(|rest| rest.split_whitespace().next());
    name.is_some_and(|name| !own.contains(&name)) || line.starts_with("typedef ") || line.ends_with("GEVT_NOEXCEPT;")
}

#[test]
fn every_item_is_documented() {
    let header = fs::read_to_string(committed()).expect("include/gevt.h exists");
    let lines: Vec<&str> = header.lines().collect();
    let code = |line: &'_ str| line.split(" /**<").next().unwrap_or(line).trim_end().to_string();
    let is_field = |line: &str| line.starts_with("    ") && code(line).ends_with(';') && !code(line).contains('(');
    let items: Vec<usize> = (1..lines.len()).filter(|at| declares(lines[*at]) || is_field(lines[*at])).collect();
    for at in &items {
        let is_commented =
            lines[*at].contains(" /**< ") || lines[at - 1].ends_with("*/") && !lines[at - 1].contains("/**<");
        assert!(is_commented, "no comment at: {}", lines[*at]);
    }
    assert!(items.len() > 100, "the test no longer recognises the header's items: {}", items.len());
}

/// Doxygen takes the word behind @retval for the value.
#[test]
fn every_retval_is_a_code() {
    let header = fs::read_to_string(committed()).expect("include/gevt.h exists");
    let values: Vec<&str> = header.lines().filter_map(|line| line.strip_prefix(" * @retval ")).collect();
    assert!(values.len() > 100, "the test no longer recognises the header's results: {}", values.len());
    let is_code = |value: &&str| value.starts_with("GEVT_SUCCESS ") || value.starts_with("GEVT_ERROR_");
    assert_eq!(values.iter().find(|value| !is_code(value)), None);
}

/// Each function says what it returns, and each one that takes a pointer to memory says what that has to be.
#[test]
fn every_function_has_its_sections() {
    let mut functions = 0;
    for entry in fs::read_dir(root().join("src")).expect("src/ can be read") {
        let source = fs::read_to_string(entry.expect("src/ can be read").path()).expect("a source can be read");
        for item in source.split("\n\n").filter(|item| item.contains("#[unsafe(no_mangle)]")) {
            functions += 1;
            let fails = item.contains("-> gevt_status_t");
            let is_described = item.contains("/// # Errors") || item.contains("/// # Returns");
            assert_eq!(fails, is_described, "a section # Errors or # Returns: {item}");
            let signature = item.split("\" fn ").nth(1).and_then(|rest| rest.split("->").next()).unwrap_or("");
            // Whoever makes an `Out` has promised what it needs.
            let signature = signature.replace("Out<*mut ", "Out<");
            let takes_memory =
                ["*mut ", "*const ", "user: ", "semaphore: u64"].iter().any(|pointer| signature.contains(pointer));
            assert_eq!(takes_memory, item.contains("/// # Safety"), "a section # Safety: {item}");
            assert_eq!(takes_memory, item.contains("pub unsafe extern"), "unsafe or not: {item}");
        }
    }
    assert_eq!(functions, exports().len());
}

/// The functions of tests/functions.def, of which the tests of every function are made.
fn exports() -> Vec<String> {
    let table = fs::read_to_string(root().join("tests/functions.def")).expect("the table exists");
    let rows = table.lines().filter_map(|line| line.strip_prefix("FUNCTION(")?.split_once(','));
    let mut names: Vec<String> = rows.map(|(name, _)| format!("gevt_{name}")).collect();
    names.sort_unstable();
    names
}

/// The functions of the header are those of the table; tests/c/exports.sh compares the library with it.
#[test]
fn functions_are_those_of_the_table() {
    let header = fs::read_to_string(committed()).expect("include/gevt.h exists");
    let mut declared: Vec<&str> = header
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| is_function(&header, word))
        .collect();
    declared.sort_unstable();
    declared.dedup();
    assert_eq!(declared, exports(), "tests/functions.def and the header differ");
}

fn is_function(header: &str, word: &str) -> bool {
    word.starts_with("gevt_") && header.contains(&format!("{word}(")) && !word.ends_with("_t")
}

#[test]
fn codes_are_the_cores() {
    let cpp = fs::read_to_string(root().join("include/gevt/status.hpp")).expect("status.hpp exists");
    let python = fs::read_to_string(root().join("python/src/gevt/_errors.py")).expect("_errors.py exists");
    let (statuses, details) = python.split_once("class Detail").expect("Python has both");
    let told = |text: &str, name: &str, prefix: &str, number: i32| {
        let line = format!("    {} = {number}\n", name.strip_prefix(prefix).unwrap_or("SUCCESS"));
        assert!(text.contains(&line), "python/src/gevt/_errors.py: {name}");
    };
    for status in gevt_core::Status::ALL {
        let (name, text) = (status.name().to_str().expect("a name"), status.text().to_str().expect("a text"));
        told(statuses, name, "GEVT_ERROR_", status.0);
        assert!(
            cpp.contains(&format!("  /// {text}\n  ")) && cpp.contains(&format!(" = {name},")),
            "gevt::errc: {name}"
        );
    }
    for detail in gevt_core::Detail::ALL {
        told(details, detail.c_name().to_str().expect("a name"), "GEVT_DETAIL_", *detail as i32);
    }
}

#[test]
fn version_is_cargos() {
    let header = fs::read_to_string(committed()).expect("include/gevt.h exists");
    let part = |name: &str| {
        let (_, after) = header.split_once(&format!("#define {name} ")).expect(name);
        after.split_whitespace().next().unwrap_or_default().to_string()
    };
    let parts = ["GEVT_VERSION_MAJOR", "GEVT_VERSION_MINOR", "GEVT_VERSION_PATCH"].map(part);
    assert_eq!(parts.join("."), env!("CARGO_PKG_VERSION"));
}
