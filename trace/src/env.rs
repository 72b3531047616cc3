//! The trace that the environment asks for: GEVT_TRACE names its file.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// How many processes, and libraries of one process, find a name at once.
pub(super) const MOST_NAMES: u32 = 1000;

/// The file that the variable names: %p stands for the number of the process, and %% for a per cent sign. A name that is not UTF-8 is taken
/// as it is.
pub(super) fn path_of(variable: &OsStr, process: u32) -> PathBuf {
    let number = process.to_string();
    let fill = |text: &str| text.split("%%").map(|part| part.replace("%p", &number)).collect::<Vec<_>>().join("%");
    variable.to_str().map_or_else(|| variable.into(), |text| fill(text).into())
}

/// The name that is tried in that turn, from 1 up: the path itself, then with a number before its extension.
pub(super) fn name_in_turn(path: &Path, turn: u32) -> PathBuf {
    match path.extension() {
        _ if turn == 1 => path.into(),
        None => path.with_extension(turn.to_string()),
        Some(extension) => path.with_extension(format!("{turn}.{}", extension.display())),
    }
}

#[cfg(test)]
#[path = "env_tests.rs"]
mod tests;
