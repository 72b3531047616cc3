//! Where in the program a call came from.

use super::address::in_object;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::{fmt, ptr};

/// How many frames tell one place from another. A runtime or a library may make all of its calls in one place; the place that matters is
/// then some frames up.
const FRAMES: usize = 4;
/// The frames of this library, a shared runtime and the driver come before the program's.
const DEPTH: usize = 24;

/// Where in the program a call came from: the innermost frames outside this library, a shared runtime and the driver. The rest is zeros.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct CallSite([usize; FRAMES]);

impl CallSite {
    /// Captures the call site of the calling thread. Slow: for misuse reports and leak lists only.
    pub(crate) fn here() -> CallSite {
        let mut addresses = [ptr::null_mut(); DEPTH];
        // SAFETY: there is room for so many addresses.
        let count = unsafe { libc::backtrace(addresses.as_mut_ptr(), DEPTH as c_int) };
        let count = usize::try_from(count).unwrap_or(0).min(DEPTH);
        let addresses = addresses.into_iter().take(count).map(|address| address as usize);
        let outside = addresses.skip_while(|address| is_below(*address));
        let mut frames = [0; FRAMES];
        frames.iter_mut().zip(outside).for_each(|(frame, address)| *frame = address);
        CallSite(frames)
    }
}

/// Returns whether the address is in this library, in a shared runtime, or in the driver.
fn is_below(address: usize) -> bool {
    let is_named = |module: &str| module.starts_with("libcudart.so") || module.starts_with("libcuda.so");
    super::elf::is_ours(address as *const c_void) || locate(address).is_some_and(|place| is_named(&place.module))
}

/// What the loader knows of an address.
struct Location {
    /// The file's name without its folder.
    module: String,
    symbol: Option<String>,
    /// From the symbol, or without one from the module's start.
    offset: usize,
}

fn locate(address: usize) -> Option<Location> {
    let info = in_object(address as *const c_void).filter(|info| !info.dli_fname.is_null())?;
    // SAFETY: the loader's own names, of an object that is on the stack or was when its address was taken; one that was
    // unloaded since has no place.
    let text = |name: *const c_char| unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    let path = text(info.dli_fname);
    let symbol = (!info.dli_sname.is_null()).then(|| text(info.dli_sname));
    let module = path.rsplit('/').next().unwrap_or_default().to_owned();
    let offset = address.wrapping_sub(if symbol.is_some() { info.dli_saddr } else { info.dli_fbase } as usize);
    Some(Location { module, symbol, offset })
}

impl fmt::Display for CallSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frames = self.0.iter().filter(|frame| **frame != 0);
        for (number, frame) in frames.enumerate() {
            f.write_str(if number == 0 { "" } else { " < " })?;
            write_frame(f, *frame)?;
        }
        Ok(())
    }
}

/// Writes `module(symbol+offset)`, `module+offset` without a symbol, or the address if its module is unknown.
fn write_frame(f: &mut fmt::Formatter<'_>, frame: usize) -> fmt::Result {
    match locate(frame) {
        Some(Location { module, symbol: Some(symbol), offset, .. }) => write!(f, "{module}({symbol}+{offset:#x})"),
        Some(Location { module, symbol: None, offset, .. }) => write!(f, "{module}+{offset:#x}"),
        None => write!(f, "{frame:#x}"),
    }
}

#[cfg(test)]
#[path = "call_site_tests.rs"]
mod tests;
