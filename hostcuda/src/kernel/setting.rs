//! What the user wants of kernels: GEVT_HOSTCUDA_KERNELS.

use super::library::Library;
use crate::report::report;
use std::sync::OnceLock;

/// What launches do.
pub(crate) struct Setting {
    /// Whether a kernel without a host function is left out; otherwise its launch is refused.
    pub(crate) skip: bool,
    /// Host functions of the user's.
    pub(crate) library: Option<Library>,
}

impl Setting {
    /// Returns whether there is anything but refusals.
    pub(crate) fn runs_something(&self) -> bool {
        self.skip || self.library.is_some()
    }
}

/// Returns the setting: `refuse`, `skip`, a library, or a library and `,skip`. One that cannot be read refuses, and says so.
pub(crate) fn setting() -> &'static Setting {
    static SETTING: OnceLock<Setting> = OnceLock::new();
    SETTING.get_or_init(|| read(&std::env::var_os("GEVT_HOSTCUDA_KERNELS").unwrap_or_default().to_string_lossy()))
}

fn read(value: &str) -> Setting {
    let (path, skip) = match value.strip_suffix(",skip") {
        Some(path) => (path, true),
        None if value == "skip" => ("", true),
        None => (value, false),
    };
    let library = match path {
        "" | "refuse" => None,
        path => match Library::open(path) {
            Ok(library) => Some(library),
            Err(why) => {
                report(format_args!("GEVT_HOSTCUDA_KERNELS={value}: {why}; kernels are refused"));
                return Setting { skip: false, library: None };
            }
        },
    };
    Setting { skip, library }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_from_libraries() {
        for (value, skip) in [("", false), ("refuse", false), ("skip", true), ("/nowhere.so,skip", false)] {
            let setting = read(value);
            assert!(setting.skip == skip && setting.library.is_none(), "{value}");
        }
        let setting = read("libc.so.6,skip");
        assert!(setting.skip && setting.library.is_some());
    }
}
