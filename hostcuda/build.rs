//! Makes the table of CUDA's functions: those that the sources define, and one that answers NOT_SUPPORTED for each other
//! name in `data/`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=data");
    println!("cargo:rerun-if-changed=src");
    // Programs find it under this name; threads of its own outlive a dlclose.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // Its own references are to its own functions, as the driver's are, whatever library stands in front of it.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut served = BTreeSet::new();
    for folder in ["src/both", "src/driver", "src/runtime"] {
        collect(&here.join(folder), &mut served);
    }
    let lists = ["data/driver.tsv", "data/runtime.tsv"].map(|list| rows(&here.join(list)));
    let listed: BTreeSet<&String> = lists.iter().flatten().map(|row| &row[0]).collect();
    let stray: Vec<&String> = served.iter().filter(|name| !listed.contains(name)).collect();
    assert!(stray.is_empty(), "not in data/: {stray:?}");
    let mut code = String::new();
    driver(&lists[0], &served, &mut code);
    runtime(&lists[1], &served, &mut code);
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("symbols.rs"), code).expect("OUT_DIR can be written");
}

/// Collects the names of the functions that the files of a folder export: all that stand between `fn` and its arguments.
fn collect(folder: &Path, served: &mut BTreeSet<String>) {
    for file in fs::read_dir(folder).expect("the folder is there").flatten() {
        let text = fs::read_to_string(file.path()).expect("a source is text");
        for function in text.split("fn ").skip(1) {
            let names = function.split('(').next().unwrap_or_default();
            served.extend(names.split(['|', '=']).map(str::trim).filter(|name| is_cuda(name)).map(String::from));
        }
    }
}

/// Returns whether it is a name of CUDA's, and not a helper's.
fn is_cuda(name: &str) -> bool {
    let rest = ["__cuda", "cuda", "cu"].iter().find_map(|prefix| name.strip_prefix(prefix));
    rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()))
}

/// Reads a list: its lines but for comments, each split at tabs.
fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).expect("the list is there");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').map(String::from).collect()).collect()
}

/// Writes a function that answers NOT_SUPPORTED.
fn absent(name: &str, of: &str, code: &mut String) {
    writeln!(code, "#[unsafe(no_mangle)] extern \"C\" fn {name}() -> i32 {{ crate::boundary::{of}(\"{name}\") }}")
        .expect("memory");
}

fn driver(rows: &[Vec<String>], served: &BTreeSet<String>, code: &mut String) {
    let mut table = String::new();
    for row in rows {
        let [symbol, name, version, form] = &row[..] else { panic!("a row of four: {row:?}") };
        if !served.contains(symbol) {
            absent(symbol, "absent_driver", code);
        }
        writeln!(table, "Symbol {{ name: \"{name}\", version: {version}, per_thread: {}, address: {{ unsafe extern \"C\" {{ fn {symbol}(); }} {symbol} }} }},", form != "-")
            .expect("memory");
    }
    writeln!(code, "pub(crate) static DRIVER: [Symbol; {}] = [{table}];", rows.len()).expect("memory");
}

fn runtime(rows: &[Vec<String>], served: &BTreeSet<String>, code: &mut String) {
    for row in rows.iter().filter(|row| !served.contains(&row[0])) {
        absent(&row[0], "absent_runtime", code);
    }
}
