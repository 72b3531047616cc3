//! The modules of the core import each other in one direction: none of them imports itself through others. Nor do the modules inside most
//! folders; there a module and its submodules count as one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

type Imports = BTreeMap<String, BTreeSet<String>>;

/// Reads what each module that stands in `src` imports, with all files of its folder.
fn read(folder: &Path, module: Option<&str>, imports: &mut Imports) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        let module = module.unwrap_or(&name).to_owned();
        if path.is_dir() {
            read(&path, Some(&module), imports);
        } else if !name.ends_with("tests") && module != "lib" {
            let text = std::fs::read_to_string(&path).expect("it is text");
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            imports.entry(module).or_default().extend(imported(code));
        }
    }
}

/// Returns the first segments of the paths in the crate.
fn imported(code: &str) -> impl Iterator<Item = String> {
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let paths = code.split("crate::").skip(1).flat_map(|rest| {
        let list = rest.strip_prefix('{').and_then(|rest| rest.split('}').next());
        let names = list.map_or_else(|| vec![rest], |list| list.split(',').collect());
        let first =
            |name: &str| name.trim().split(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_owned);
        names.into_iter().filter_map(first).collect::<Vec<_>>()
    });
    paths.collect::<Vec<_>>().into_iter()
}

/// Returns a path from one module to another, if there is one.
fn path(imports: &Imports, from: &str, to: &str, seen: &mut BTreeSet<String>) -> Option<Vec<String>> {
    imports.get(from)?.iter().filter(|next| *next != from).find_map(|next| {
        if next == to {
            return Some(vec![next.clone()]);
        }
        let rest = seen.insert(next.clone()).then(|| path(imports, next, to, seen))??;
        Some(std::iter::once(next.clone()).chain(rest).collect())
    })
}

#[test]
fn no_module_imports_itself_through_others() {
    let mut imports = Imports::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), None, &mut imports);
    assert!(imports["machine"].contains("backend") && imports["backend"].contains("workers"), "{imports:?}");
    for module in imports.keys() {
        let cycle = path(&imports, module, module, &mut BTreeSet::new());
        assert_eq!(cycle, None, "{module} imports itself through these");
    }
}

/// Folders inside which the modules import each other in one direction, too.
const FOLDERS: [&str; 9] =
    ["backend", "backend/host/ipc", "os", "os/linux", "point", "probe", "table", "workers", "workers/pool"];

/// Returns the paths in the crate that a file of module `own` names, as segments from the crate's root.
fn paths(code: &str, own: &[&str]) -> Vec<Vec<String>> {
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    let words = |text: &str| text.split("::").map(str::trim).map(str::to_owned).collect::<Vec<_>>();
    for (at, word) in code.match_indices("crate::").chain(code.match_indices("super::")) {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let (mut rest, mut base) = (&code[at..], own);
        if word == "crate::" {
            (rest, base) = (&rest[word.len()..], &[]);
        }
        while let (Some(after), Some((_, outer))) = (rest.strip_prefix("super::"), base.split_last()) {
            (rest, base) = (after, outer);
        }
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(rest.len());
        let list = rest[end..].strip_prefix('{').and_then(|list| list.split('}').next());
        for name in list.map_or(vec![""], |list| list.split(',').collect()) {
            let start = base.iter().map(|&segment| segment.to_owned());
            found.push(start.chain(words(&format!("{}{}", &rest[..end], name.trim()))).collect());
        }
    }
    found
}

/// Returns the names that a module exports for its submodules, each with the submodule.
fn exported(code: &str) -> Vec<(String, String)> {
    let uses = code.split("use ").skip(1).filter_map(|rest| rest.split(';').next()?.split_once("::"));
    let names = uses.flat_map(|(module, list)| {
        list.trim_matches(['{', '}']).split(',').map(move |name| (name.trim().to_owned(), module.to_owned()))
    });
    names.collect()
}

/// Reads what the modules in a folder import from each other, also by names that the folder's own module exports for them.
fn read_inside(src: &Path, folder: &[&str], at: &Path, exports: &[(String, String)], imports: &mut Imports) {
    for entry in std::fs::read_dir(at).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read_inside(src, folder, &path, exports, imports);
        }
        let inner = path.strip_prefix(src).expect("it is in the sources").with_extension("");
        let own: Vec<&str> = inner.iter().filter_map(|name| name.to_str()).filter(|&name| name != "mod").collect();
        if path.is_dir() || own.len() <= folder.len() || own.last().is_some_and(|name| name.ends_with("tests")) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("it is text");
        let imported = paths(text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default(), &own);
        let segments =
            imported.iter().filter(|path| path.iter().zip(folder).filter(|(a, b)| a == b).count() == folder.len());
        let modules = segments.filter_map(|path| path.get(folder.len())).map(|name| {
            exports.iter().find(|(known, _)| known == name).map_or_else(|| name.clone(), |(_, module)| module.clone())
        });
        imports.entry(own[folder.len()].to_owned()).or_default().extend(modules);
    }
}

#[test]
fn nor_does_a_module_inside_a_folder() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for name in FOLDERS {
        let (folder, at) = (name.split('/').collect::<Vec<_>>(), src.join(name));
        let own = [at.join("mod.rs"), at.with_extension("rs")];
        let own = own.into_iter().find_map(|path| std::fs::read_to_string(path).ok()).expect("its module");
        let exports = exported(&own);
        let mut imports = Imports::new();
        read_inside(&src, &folder, &at, &exports, &mut imports);
        assert!(imports.values().any(|imported| !imported.is_empty()) || name.starts_with("os"), "{name}: {imports:?}");
        for module in imports.keys() {
            let cycle = path(&imports, module, module, &mut BTreeSet::new());
            assert_eq!(cycle, None, "{name}/{module} imports itself through these");
        }
    }
}
