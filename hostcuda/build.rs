//! Generates the unserved functions, the table of driver functions, and the table of device attributes.

use cuda_abi::{DRIVER, RUNTIME};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=data");
    // Programs find the library under this soname. It is never unloaded: its threads keep running after a dlclose.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // References inside the library bind to its own functions, as in NVIDIA's driver, even if another library interposes on it.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let text = fs::read_to_string(here.join("data/served.tsv")).expect("the list is there");
    let rows: Vec<Vec<&str>> =
        text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect()).collect();
    let served: BTreeSet<&str> = rows.iter().map(|row| row[0]).collect();
    let (driver, runtime) = (DRIVER.iter().map(|of| of.symbol), RUNTIME.iter().map(|of| of.symbol));
    let listed: BTreeSet<&str> = driver.clone().chain(runtime.clone()).collect();
    let stray: Vec<_> = served.difference(&listed).collect();
    assert!(stray.is_empty(), "cuda-abi does not list {stray:?}");

    let of_12: BTreeSet<&str> = rows.iter().filter(|row| row.get(1) == Some(&"12")).map(|row| row[0]).collect();
    for function in RUNTIME.iter().filter(|of| of.in_12 && of.in_13 && served.contains(of.symbol)) {
        let is_same = function.parameters_12.zip(function.parameters_13).is_none_or(|(one, other)| one == other);
        assert!(is_same || of_12.contains(function.symbol), "{} needs a form for CUDA 12", function.symbol);
    }

    let mut code = String::new();
    let absent = [(driver.collect::<Vec<_>>(), "absent_driver", ""), (runtime.collect(), "absent_runtime", "gevt_")];
    for (names, of, prefix) in absent {
        for name in names.into_iter().filter(|name| !served.contains(name)) {
            writeln!(code, "#[unsafe(export_name = \"{prefix}{name}\")] extern \"C\" fn {name}() -> i32 {{ crate::boundary::{of}(\"{name}\") }}")
                .expect("memory");
        }
    }
    // A served name that no source file defines fails to link.
    writeln!(code, "pub(crate) static ADDRESSES: [unsafe extern \"C\" fn(); {}] = [", DRIVER.len()).expect("memory");
    for function in DRIVER {
        let name = function.symbol;
        writeln!(code, "    {{ unsafe extern \"C\" {{ fn {name}(); }} {name} }},").expect("memory");
    }
    writeln!(code, "];").expect("memory");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("attributes.rs"), attributes(&here.join("data/attributes.tsv")))
        .expect("OUT_DIR can be written");
    fs::write(out.join("functions.rs"), code).expect("OUT_DIR can be written");
}

/// Writes the list of device attributes as an expression.
fn attributes(list: &Path) -> String {
    let text = fs::read_to_string(list).expect("the list is there");
    let known = |cell: &str| if cell == "-" { "None".to_owned() } else { format!("Some({cell})") };
    let mut code = String::from("&[");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let row: Vec<&str> = line.split('\t').collect();
        let [number, _name, value, in_12, in_13, bytes] = row[..] else { panic!("a row of six: {row:?}") };
        let (value, in_12, in_13, bytes) = (known(value), known(in_12), known(in_13), bytes.replace('-', "0"));
        writeln!(code, "Attribute {{ number: {number}, value: {value}, places: [{in_12}, {in_13}], bytes: {bytes} }},")
            .expect("memory");
    }
    code + "]"
}
