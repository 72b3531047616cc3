//! The modules of the core import each other in one direction: none of them imports itself through others.

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
