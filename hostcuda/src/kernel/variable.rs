//! Variables on devices that the program has registered. They begin with the values in the program's device code, where that can be read.

use super::image::initial_value;
use super::setting;
use crate::code::{Code, Result};
use parking_lot::RwLock;
use std::alloc::Layout;
use std::collections::BTreeMap;
use std::ffi::CString;

/// A variable: one for all devices.
#[derive(Clone, Copy)]
pub(crate) struct Variable {
    pub(crate) address: usize,
    pub(crate) len: usize,
    registration: u64,
}

/// The variables, by the address of the one that stands for each in the host's code.
static VARIABLES: RwLock<BTreeMap<usize, Variable>> = RwLock::new(BTreeMap::new());

const ALIGNMENT: usize = 256;

/// Returns zeros that are never freed, and which begin with those bytes.
fn zeros(len: usize, first: &[u8]) -> Option<usize> {
    let layout = Layout::from_size_align(len.max(1), ALIGNMENT).ok()?;
    // SAFETY: the length is not zero.
    let start = unsafe { std::alloc::alloc_zeroed(layout) } as usize;
    if start == 0 {
        return None;
    }
    // SAFETY: no more bytes than were allocated, which nobody else knows.
    unsafe { std::ptr::copy_nonoverlapping(first.as_ptr(), start as *mut u8, first.len().min(len)) };
    Some(start)
}

/// Registers a variable of a binary of the program's. Where the user's library has one of that name, it is that one.
pub(crate) fn register_variable(host: usize, name: Option<CString>, len: usize, binary: usize, registration: u64) {
    let known = name.as_ref().and_then(|name| setting().library.as_ref()?.symbol(name));
    let first = || name.as_ref().and_then(|name| initial_value(binary, name)).unwrap_or_default();
    if let Some(address) = known.map(|known| known as usize).or_else(|| zeros(len, first())) {
        VARIABLES.write().insert(host, Variable { address, len, registration });
    }
}

/// Registers a variable of managed memory; returns the memory.
pub(crate) fn register_managed(host: usize, len: usize, registration: u64) -> Option<usize> {
    let address = zeros(len, &[])?;
    VARIABLES.write().insert(host, Variable { address, len, registration });
    VARIABLES.write().insert(address, Variable { address, len, registration });
    Some(address)
}

pub(super) fn unregister(registration: u64) {
    VARIABLES.write().retain(|_, variable| variable.registration != registration);
}

/// Returns the variable that stands at an address of the host's.
pub(crate) fn find_variable(host: usize) -> Result<Variable> {
    VARIABLES.read().get(&host).copied().ok_or(Code::INVALID_SYMBOL)
}
