//! What the environment asks for. It is read at the first call around events, once.

use std::ffi::OsString;

/// What the environment asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Settings {
    /// GEVT_SHIM=off: every call goes to the driver.
    pub(crate) off: bool,
    /// GEVT_SHIM=strict: a pointer whose making was not seen is refused.
    pub(crate) strict: bool,
    /// GEVT_LOG=warn: misuse is printed.
    pub(crate) warn: bool,
    /// GEVT_LEAKS=1: events that are alive at exit are printed.
    pub(crate) leaks: bool,
    /// GEVT_STATS=1: numbers of calls are printed at exit.
    pub(crate) stats: bool,
    /// GEVT_TRACE=FILE: calls of the driver are traced.
    pub(crate) trace: bool,
}

impl Settings {
    /// From the variables that `variable` gives; `complain` gets what is none of their values.
    pub(crate) fn read(variable: impl Fn(&str) -> Option<OsString>, mut complain: impl FnMut(&str, &str)) -> Settings {
        // The first value is the one that counts where the variable is not set.
        let mut choose = |name, values: &[&str]| {
            let Some(value) = variable(name).filter(|value| !value.is_empty()) else { return 0 };
            values.iter().position(|known| *known == value).unwrap_or_else(|| {
                complain(name, &values.join(", "));
                0
            })
        };
        let shim = choose("GEVT_SHIM", &["on", "strict", "off"]);
        Settings {
            off: shim == 2,
            strict: shim == 1,
            warn: choose("GEVT_LOG", &["off", "warn"]) == 1,
            leaks: choose("GEVT_LEAKS", &["0", "1"]) == 1,
            stats: choose("GEVT_STATS", &["0", "1"]) == 1,
            trace: variable("GEVT_TRACE").is_some_and(|value| !value.is_empty()),
        }
    }
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
