//! Makes the tables of functions from the lists in `data/`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=data");
    let data = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("data");
    let mut code = String::new();
    driver(&rows(&data.join("driver.tsv")), &mut code);
    runtime(&rows(&data.join("runtime.tsv")), &mut code);
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("functions.rs"), code).expect("OUT_DIR can be written");
}

/// Reads the rows of a list, sorted, each split at its tabs.
fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).expect("the list is there");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let mut rows: Vec<Vec<String>> = lines.map(|line| line.split('\t').map(String::from).collect()).collect();
    rows.sort();
    rows
}

/// Writes a list of types as an expression: `None` if it is a dash.
fn types(list: &str) -> String {
    match list {
        "-" => "None".to_owned(),
        "void" => "Some(&[])".to_owned(),
        list => format!("Some(&{:?})", list.split(", ").collect::<Vec<_>>()),
    }
}

fn driver(rows: &[Vec<String>], code: &mut String) {
    writeln!(
        code,
        "/// All functions of the driver, in the order of their symbols.\npub static DRIVER: &[DriverFunction] = &["
    )
    .expect("memory");
    for row in rows {
        let [symbol, name, since, stream, parameters] = &row[..] else { panic!("a row of five: {row:?}") };
        let (per_thread, parameters) = (stream != "-", types(parameters));
        writeln!(code, "DriverFunction {{ symbol: {symbol:?}, name: {name:?}, since: {since}, per_thread: {per_thread}, parameters: {parameters} }},")
            .expect("memory");
    }
    code.push_str("];\n");
}

fn runtime(rows: &[Vec<String>], code: &mut String) {
    writeln!(
        code,
        "/// All functions of the runtime, in the order of their symbols.\npub static RUNTIME: &[RuntimeFunction] = &["
    )
    .expect("memory");
    for row in rows {
        let [symbol, releases, parameters] = &row[..] else { panic!("a row of three: {row:?}") };
        let has = |release: &str| releases.split(',').any(|of| of == release);
        let (twelve, thirteen) = parameters.split_once(" | ").unwrap_or((parameters, parameters));
        let forms = [("12", twelve), ("13", thirteen)].map(|(release, list)| (has(release), types(list)));
        let [(in_12, of_12), (in_13, of_13)] = forms;
        writeln!(code, "RuntimeFunction {{ symbol: {symbol:?}, in_12: {in_12}, in_13: {in_13}, parameters_12: {of_12}, parameters_13: {of_13} }},")
            .expect("memory");
    }
    code.push_str("];\n");
}
