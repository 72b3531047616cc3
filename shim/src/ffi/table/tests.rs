//! The table against the list of all functions of the driver, and against what is written of it.

use super::*;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The functions that may seem to belong here and are left alone, in groups, each with the reason.
const LEFT_ALONE: &[(&str, &[&str])] = &[
    (
        "It tells a node's event, and changes none.",
        &["cuGraphEventRecordNodeGetEvent", "cuGraphEventWaitNodeGetEvent", "cuGraphNodeGetParams"],
    ),
    (
        "An event in a node's attribute is known from the call that first set it.",
        &["cuGraphKernelNodeCopyAttributes", "cuGraphKernelNodeGetAttribute"],
    ),
    ("No attribute of a stream carries an event.", &["cuStreamSetAttribute", "cuStreamSetAttribute_ptsz"]),
    (
        "It tells of a capture or changes what it holds, and neither begins nor ends it.",
        &[
            "cuStreamGetCaptureInfo",
            "cuStreamGetCaptureInfo_ptsz",
            "cuStreamGetCaptureInfo_v2",
            "cuStreamGetCaptureInfo_v2_ptsz",
            "cuStreamGetCaptureInfo_v3",
            "cuStreamGetCaptureInfo_v3_ptsz",
            "cuStreamIsCapturing",
            "cuStreamIsCapturing_ptsz",
            "cuStreamUpdateCaptureDependencies",
            "cuStreamUpdateCaptureDependencies_ptsz",
            "cuStreamUpdateCaptureDependencies_v2",
            "cuStreamUpdateCaptureDependencies_v2_ptsz",
            "cuThreadExchangeStreamCaptureMode",
        ],
    ),
    (
        "A new context has no events.",
        &[
            "cuCtxCreate",
            "cuCtxCreate_v2",
            "cuCtxCreate_v3",
            "cuCtxCreate_v4",
            "cuDevicePrimaryCtxRetain",
            "cuGLCtxCreate",
            "cuGLCtxCreate_v2",
            "cuGreenCtxCreate",
            "cuVDPAUCtxCreate",
            "cuVDPAUCtxCreate_v2",
        ],
    ),
    ("The tables that it gives have no documentation.", &["cuGetExportTable"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn names() -> Vec<&'static str> {
    FUNCTIONS.iter().map(|function| function.name.to_str().expect("a name")).collect()
}

fn left_alone() -> impl Iterator<Item = &'static str> {
    LEFT_ALONE.iter().flat_map(|(_, names)| *names).copied()
}

/// Returns whether a C type in the driver's list and a Rust type in the table are the same to a caller.
fn is_same(c: &str, rust: &str) -> bool {
    match c {
        "int" | "CUdevice_v1" | "CUstreamCaptureMode" => matches!(rust, "i32" | "CUdevice"),
        "unsigned int" | "CUkernelNodeAttrID" => rust == "u32",
        "cuuint64_t" => rust == "u64",
        "size_t" => rust == "usize",
        "CUipcEventHandle_v1" => rust == "IpcHandle",
        "EGLSyncKHR" | "CUgraphRecaptureCallback" => rust.starts_with('*'),
        _ if c.ends_with('*') => ["*", "Out<", "In<"].iter().any(|pointer| rust.starts_with(pointer)),
        handle => handle == rust,
    }
}

#[test]
fn rows_are_what_the_driver_lists() {
    for (function, (symbol, written, _, why)) in FUNCTIONS.iter().zip(WRITTEN) {
        let form = function.form().unwrap_or_else(|| panic!("the driver has no {symbol}"));
        assert_eq!(function.name.to_str(), Ok(*symbol));
        assert!(named(function.name).is_some_and(|found| std::ptr::eq(found, function)));
        assert!(why.ends_with('.'), "{symbol}: the reason is a sentence");
        let listed = form.parameters.unwrap_or_else(|| panic!("{symbol}: its parameters are not listed"));
        let written = written.trim_matches(['(', ')']).split(',').filter_map(|one| one.split_once(':'));
        let types: Vec<&str> = written.map(|(_, of)| of.trim()).collect();
        let is_same = listed.len() == types.len() && listed.iter().zip(&types).all(|(c, rust)| is_same(c, rust));
        assert!(is_same, "{symbol}: {types:?}, and the driver has {listed:?}");
    }
}

#[test]
fn no_function_is_named_twice() {
    let mut seen = BTreeSet::new();
    for name in names().into_iter().chain(left_alone()) {
        assert!(seen.insert(name), "{name} stands in the table twice");
    }
}

/// A lookup by version and flags could not tell a form that is missing here from the forms that the table has.
#[test]
fn all_forms_of_a_function_are_rows() {
    let names = names();
    for form in FUNCTIONS.iter().filter_map(Function::form).flat_map(|form| cuda_abi::forms(form.name)) {
        assert!(names.contains(&form.symbol), "{} is no row, and others of {} are", form.symbol, form.name);
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
    let known: BTreeSet<&str> = names().into_iter().chain(left_alone()).collect();
    let symbols = cuda_abi::DRIVER.iter().map(|function| function.symbol);
    let missing: Vec<&str> =
        symbols.filter(|name| parts.iter().any(|part| name.contains(part)) && !known.contains(name)).collect();
    assert!(missing.is_empty(), "neither rows nor left alone: {missing:?}");
    let stray: Vec<&str> = left_alone().filter(|name| cuda_abi::driver(name).is_none()).collect();
    assert!(stray.is_empty(), "left alone, and no function of the driver's: {stray:?}");
}

/// The table as the documentation shows it: functions with the same reason in one row.
fn written() -> String {
    let mut groups: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for (name, _, role, why) in WRITTEN {
        match groups.iter_mut().find(|group| (group.0, group.1) == (*role, *why)) {
            Some(group) => group.2.push(name),
            None => groups.push((role, why, vec![name])),
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
    let path = root().join("docs/SHIM-REFERENCE.md");
    let document = fs::read_to_string(&path).expect("docs/SHIM-REFERENCE.md is there");
    let (begin, end) = ("<!-- the table -->\n", "<!-- the end of the table -->");
    let (before, rest) = document.split_once(begin).expect("the document says where the table begins");
    let (_, after) = rest.split_once(end).expect("the document says where the table ends");
    let fresh = format!("{before}{begin}\n{}\n{end}{after}", written());
    if std::env::var_os("GEVT_BLESS").is_some() {
        fs::write(&path, &fresh).expect("the document can be written");
    } else {
        assert!(
            document == fresh,
            "docs/SHIM-REFERENCE.md is out of date: GEVT_BLESS=1 cargo test --package gevt-shim"
        );
    }
}
