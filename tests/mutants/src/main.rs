//! Rewrites a copy of gevt. Each place of a seeded sample gets a small fault, which `mutants::mutant(n)` turns on: one build has all mutants.
//! Prints a line for each: number, file, line, fault and text, separated by tabs.
//!
//! usage: gevt-mutants ROOT SEED COUNT WITHOUT PATH...
//!   ROOT      the copy
//!   COUNT     how many
//!   WITHOUT   numbers of mutants that do not compile, separated by commas
//!   PATH      a file or folder below ROOT, with its contents.

mod places;
mod text;

use places::Place;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [root, seed, count, without, paths @ ..] = &arguments[..] else {
        panic!("usage: gevt-mutants ROOT SEED COUNT WITHOUT PATH...")
    };
    let (root, count) = (Path::new(root), count.parse().expect("COUNT is a number"));
    let without: Vec<usize> = without.split(',').filter_map(|number| number.parse().ok()).collect();

    let mut files = Vec::new();
    paths.iter().for_each(|path| find(&root.join(path), &mut files));
    files.sort();
    let mut all: Vec<(u64, &PathBuf, Place)> = Vec::new();
    let mut random = Random(seed.parse().expect("SEED is a number"));
    let texts: Vec<String> = files.iter().map(|file| fs::read_to_string(file).expect("a readable file")).collect();
    for (file, text) in files.iter().zip(&texts) {
        all.extend(places::find(text).into_iter().map(|place| (random.next(), file, place)));
    }
    all.sort_by_key(|(order, ..)| *order);
    let mut chosen: Vec<(&PathBuf, Place)> = Vec::new();
    for (_, file, place) in all {
        let again = |(other, at): &(&PathBuf, Place)| *other == file && at.range == place.range && !at.range.is_empty();
        if chosen.len() < count && !chosen.iter().any(again) {
            chosen.push((file, place));
        }
    }

    for (file, text) in files.iter().zip(&texts) {
        let function =
            if file.starts_with(root.join("core")) { "crate::mutants::mutant" } else { "gevt_core::mutants::mutant" };
        let here = |number: &usize| chosen[number - 1].0 == file && !without.contains(number);
        let numbered = (1..=chosen.len())
            .filter(here)
            .map(|number| (format!("{function}({number})"), &chosen[number - 1].1))
            .collect();
        fs::write(file, text::mutated(text, numbered)).expect("a writable file");
    }
    fs::write(root.join("core/src/mutants.rs"), include_str!("runtime.rs")).expect("a writable file");
    let library = root.join("core/src/lib.rs");
    let text = fs::read_to_string(&library).expect("core/src/lib.rs");
    // Only this intrinsic lets a constant function do something else at run time.
    let with = format!("#![feature(core_intrinsics, const_eval_select)]\n{text}\n#[doc(hidden)]\npub mod mutants;\n");
    fs::write(&library, with).expect("a writable file");

    for (number, (file, place)) in (1..).zip(&chosen).filter(|(number, _)| !without.contains(number)) {
        let name = file.strip_prefix(root).unwrap().display();
        println!("{number}\t{name}\t{}\t{}\t{}", place.line, place.fault, place.text);
    }
}

/// The sources below `path`, without those of tests and of what only loom and Windows have.
fn find(path: &Path, files: &mut Vec<PathBuf>) {
    let name = path.file_name().unwrap().to_string_lossy();
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| find(&entry.unwrap().path(), files));
    } else if path.is_file()
        && name.ends_with(".rs")
        && !name.ends_with("tests.rs")
        && !["modelled.rs", "fault_injection.rs"].contains(&&*name)
    {
        files.push(path.to_owned());
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }
}
