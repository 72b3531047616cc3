//! The user's choice of how kernels run: GEVT_HOSTCUDA_KERNELS.

use super::library::Library;
use crate::report::{report, report_once};
use std::cell::Cell;
use std::sync::OnceLock;

/// How launches behave.
pub(crate) struct Setting {
    /// Whether a kernel without a host function is skipped. Otherwise its launch is refused.
    pub(crate) skip: bool,
    /// The user's host functions.
    pub(crate) library: Option<Library>,
}

impl Setting {
    /// Returns whether any launch is accepted.
    pub(crate) fn runs_something(&self) -> bool {
        self.skip || self.library.is_some()
    }
}

/// Returns the setting: `refuse`, `skip`, a library, or a library and `,skip`. An invalid one is reported and means `refuse`.
pub(crate) fn setting() -> &'static Setting {
    static SETTING: OnceLock<Setting> = OnceLock::new();
    static NOTHING: Setting = Setting { skip: false, library: None };
    if let Some(setting) = SETTING.get() {
        return setting;
    }
    if IS_READING.replace(true) {
        return &NOTHING;
    }
    // Reads the setting outside `get_or_init`, because other threads would wait there and the dynamic linker has its own lock.
    let setting = read(&std::env::var_os("GEVT_HOSTCUDA_KERNELS").unwrap_or_default().to_string_lossy());
    IS_READING.set(false);
    SETTING.get_or_init(|| setting)
}

thread_local! {
    /// Whether the thread is reading the setting. Constructors of the user's library call this function then, because nvcc's code registers
    /// variables in them.
    static IS_READING: Cell<bool> = const { Cell::new(false) };
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
                report_once("setting", || {
                    report(format_args!("GEVT_HOSTCUDA_KERNELS={value}: {why}; kernels are refused"));
                });
                return Setting { skip: false, library: None };
            }
        },
    };
    Setting { skip, library }
}

#[cfg(test)]
#[path = "setting_tests.rs"]
mod tests;
