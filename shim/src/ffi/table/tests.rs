//! The table against the list of all functions of the driver, and against what is written of it.

use super::super::proc_address::LISTED;
use super::*;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The driver's functions: symbol, name for cuGetProcAddress, first version, form.
fn driver() -> Vec<[String; 4]> {
    let text = fs::read_to_string(root().join("cuda-abi/data/driver.tsv")).expect("the list is there");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &str| line.split('\t').take(4).map(String::from).collect::<Vec<_>>();
    lines.map(|line| row(line).try_into().expect("four columns")).collect()
}

fn names() -> Vec<&'static str> {
    FUNCTIONS.iter().map(|function| function.name.to_str().expect("a name")).collect()
}

fn left_alone() -> impl Iterator<Item = &'static str> {
    LEFT_ALONE.iter().flat_map(|(_, names)| *names).copied()
}

#[test]
fn rows_are_what_the_driver_lists() {
    let driver = driver();
    for function in &FUNCTIONS {
        let name = function.name.to_str().expect("a name");
        let row = driver.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("the driver has no {name}"));
        assert_eq!(row[1].as_bytes(), function.asked(), "{name}: the name to ask for");
        assert_eq!(row[2], function.since.to_string(), "{name}: the first version");
        assert_eq!(row[3] != "-", function.is_per_thread(), "{name}: the default stream");
        assert!(named(function.name).is_some_and(|found| std::ptr::eq(found, function)));
        assert!(function.why.ends_with('.'), "{name}: the reason is a sentence");
    }
    let newest = driver.iter().filter_map(|row| row[2].parse::<i32>().ok()).max();
    assert!(newest <= Some(LISTED), "the list knows a later version than the table");
}

#[test]
fn no_function_is_named_twice() {
    let mut seen = BTreeSet::new();
    for name in names().into_iter().chain(left_alone()) {
        assert!(seen.insert(name), "{name} stands in the table twice");
    }
}

/// A look-up by version and flags could not tell a form that is missing here from those that are there.
#[test]
fn all_forms_of_a_function_are_rows() {
    let names = names();
    for row in driver() {
        let is_here = FUNCTIONS.iter().any(|function| function.asked() == row[1].as_bytes());
        assert!(!is_here || names.contains(&row[0].as_str()), "{} is no row, and others of {} are", row[0], row[1]);
    }
}

/// What takes or gives events, makes or ends streams, contexts and captures, waits for them, or hands functions out.
#[test]
fn nothing_that_has_to_do_with_events_is_missing() {
    let parts = [
        "Event",
        "Captur",
        "cuStreamCreate",
        "cuStreamDestroy",
        "CtxStreamCreate",
        "CtxCreate",
        "CtxDestroy",
        "CtxDetach",
        "PrimaryCtxRe",
        "cuGraphAddNode",
        "cuGraphNodeSetParams",
        "cuGraphNodeGetParams",
        "cuGraphExecNodeSetParams",
        "KernelNodeSetAttribute",
        "KernelNodeGetAttribute",
        "KernelNodeCopyAttributes",
        "cuLaunchKernelEx",
        "StreamSetAttribute",
        "StreamSynchronize",
        "StreamQuery",
        "cuGetProcAddress",
        "cuGetExportTable",
    ];
    let driver = driver();
    let known: BTreeSet<&str> = names().into_iter().chain(left_alone()).collect();
    let missing: Vec<&String> = driver
        .iter()
        .map(|row| &row[0])
        .filter(|name| parts.iter().any(|part| name.contains(part)) && !known.contains(name.as_str()))
        .collect();
    assert!(missing.is_empty(), "neither rows nor left alone: {missing:?}");
    let stray: Vec<&str> = left_alone().filter(|name| !driver.iter().any(|row| row[0] == *name)).collect();
    assert!(stray.is_empty(), "left alone, and no function of the driver's: {stray:?}");
}

/// The table as the documentation shows it: functions with the same reason in one row.
fn written() -> String {
    let mut groups: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for function in &FUNCTIONS {
        let role = match function.role {
            Role::Ours => "ours",
            Role::Watched => "watched",
        };
        let name = function.name.to_str().expect("a name");
        match groups.iter_mut().find(|group| (group.0, group.1) == (role, function.why)) {
            Some(group) => group.2.push(name),
            None => groups.push((role, function.why, vec![name])),
        }
    }
    groups.extend(LEFT_ALONE.iter().map(|(why, names)| ("left alone", *why, names.to_vec())));
    let mut text = String::from("| functions | role | why |\n| --- | --- | --- |\n");
    for (role, why, names) in groups {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        writeln!(text, "| {} | {role} | {why} |", names.join(" ")).expect("memory");
    }
    text
}

/// With GEVT_BLESS set, writes the document's table instead of comparing it.
#[test]
fn the_document_has_the_table() {
    let path = root().join("docs/SHIM.md");
    let document = fs::read_to_string(&path).expect("docs/SHIM.md is there");
    let (begin, end) = ("<!-- the table -->\n", "<!-- the end of the table -->");
    let (before, rest) = document.split_once(begin).expect("the document says where the table begins");
    let (_, after) = rest.split_once(end).expect("the document says where the table ends");
    let fresh = format!("{before}{begin}\n{}\n{end}{after}", written());
    if std::env::var_os("GEVT_BLESS").is_some() {
        fs::write(&path, &fresh).expect("the document can be written");
    } else {
        assert!(document == fresh, "docs/SHIM.md is out of date: GEVT_BLESS=1 cargo test --package gevt-shim");
    }
}
