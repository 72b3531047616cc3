//! Where in the program a call came from.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fmt, ptr};

/// How many frames tell one place from another where a runtime is a part of the program: the place that matters is some
/// frames up.
const FRAMES: usize = 4;
/// The frames of this library, a shared runtime and the driver come before the program's.
const DEPTH: usize = 24;

/// Where the objects begin that have a runtime in them; the first ones, if there are more than fit.
static RUNTIMES: [AtomicUsize; 16] = [const { AtomicUsize::new(0) }; 16];

/// Where in the program a call came from: the innermost frame outside this library, a shared runtime and the driver. In an
/// object that has a runtime in it, that frame's callers as well. The rest is zeros.
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
        let mut outside = addresses.skip_while(|address| is_below(*address)).peekable();
        let length = if outside.peek().is_some_and(|first| has_runtime(*first)) { FRAMES } else { 1 };
        let mut frames = [0; FRAMES];
        frames.iter_mut().zip(outside.take(length)).for_each(|(frame, address)| *frame = address);
        CallSite(frames)
    }
}

/// The object with this address in it has looked up what a runtime does.
pub(crate) fn note_runtime(address: *const c_void) {
    let start = locate(address as usize).map_or(0, |place| place.start);
    let is_free_or_it =
        |known: &AtomicUsize| match known.compare_exchange(0, start, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => true,
            Err(known) => known == start,
        };
    // If no place was free, the object is not in the list.
    let _ = RUNTIMES.iter().any(is_free_or_it);
}

fn has_runtime(address: usize) -> bool {
    let start = locate(address).map_or(0, |place| place.start);
    start != 0 && RUNTIMES.iter().any(|known| known.load(Ordering::Acquire) == start)
}

/// Returns whether the address is in this library, in a shared runtime, or in the driver.
fn is_below(address: usize) -> bool {
    let is_named = |module: &str| module.starts_with("libcudart.so") || module.starts_with("libcuda.so");
    super::own::is_ours(address as *const c_void) || locate(address).is_some_and(|place| is_named(&place.module))
}

/// What the loader knows of an address.
struct Location {
    /// The file's name without its folder.
    module: String,
    /// Where the module starts.
    start: usize,
    symbol: Option<String>,
    /// From the symbol, or without one from the module's start.
    offset: usize,
}

fn locate(address: usize) -> Option<Location> {
    let mut info = libc::Dl_info {
        dli_fname: ptr::null(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: `info` can be written, and the address is only compared.
    let is_known = unsafe { libc::dladdr(address as *const c_void, &raw mut info) } != 0;
    if !is_known || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's own names, of an object that is on the stack or was when its address was taken; one that was
    // unloaded since has no place.
    let text = |name: *const c_char| unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    let path = text(info.dli_fname);
    let symbol = (!info.dli_sname.is_null()).then(|| text(info.dli_sname));
    let module = path.rsplit('/').next().unwrap_or_default().to_owned();
    let start = info.dli_fbase as usize;
    let offset = address.wrapping_sub(if symbol.is_some() { info.dli_saddr as usize } else { start });
    Some(Location { module, start, symbol, offset })
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

/// `module(symbol+offset)`, or `module+offset` where there is no symbol.
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
