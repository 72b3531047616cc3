//! What the environment asks for, as bits. It is read at the first call around events, once.

use std::ffi::OsString;

/// GEVT_SHIM=off: every call goes to the driver.
pub(crate) const OFF: u32 = 0x10;
/// GEVT_SHIM=strict: a pointer whose making was not seen is refused.
pub(crate) const STRICT: u32 = 0x20;
/// GEVT_LOG=warn: misuse is printed.
pub(crate) const WARN: u32 = 0x40;
/// GEVT_LEAKS=1: events that are alive at exit are printed.
pub(crate) const LEAKS: u32 = 0x80;
/// GEVT_STATS=1: numbers of calls are printed at exit.
pub(crate) const STATS: u32 = 0x100;
/// GEVT_TRACE=FILE, unless GEVT_SHIM=off: calls of the driver are traced.
pub(crate) const TRACE: u32 = 0x800;

/// The values of each variable, and what they ask for. The first one counts where the variable is not set.
const CHOICES: [(&str, &[(&str, u32)]); 4] = [
    ("GEVT_SHIM", &[("on", 0), ("strict", STRICT), ("off", OFF)]),
    ("GEVT_LOG", &[("off", 0), ("warn", WARN)]),
    ("GEVT_LEAKS", &[("0", 0), ("1", LEAKS)]),
    ("GEVT_STATS", &[("0", 0), ("1", STATS)]),
];

/// Reads the variables that `variable` gives. Calls `complain` with the name and the accepted values of a variable that has another value.
pub(crate) fn read(variable: impl Fn(&str) -> Option<OsString>, mut complain: impl FnMut(&str, &str)) -> u32 {
    let given = |name| variable(name).filter(|value| !value.is_empty());
    let mut bits = 0;
    for (name, values) in CHOICES {
        let Some(value) = given(name) else { continue };
        match values.iter().find(|(known, _)| *known == value) {
            Some((_, bit)) => bits |= bit,
            None => complain(name, &values.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", ")),
        }
    }
    if bits & OFF == 0 && given("GEVT_TRACE").is_some() { bits | TRACE } else { bits }
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
