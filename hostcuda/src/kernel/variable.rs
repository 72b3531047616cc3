//! Variables on devices that the program has registered. They begin as zeros: their values are in the kernels' code.

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

/// Returns zeros that are never freed.
fn zeros(len: usize) -> Option<usize> {
    let layout = Layout::from_size_align(len.max(1), ALIGNMENT).ok()?;
    // SAFETY: the length is not zero.
    let start = unsafe { std::alloc::alloc_zeroed(layout) } as usize;
    (start != 0).then_some(start)
}

/// Registers a variable. Where the user's library has one of that name, it is that one.
pub(crate) fn register_variable(host: usize, name: Option<CString>, len: usize, registration: u64) {
    let known = name.and_then(|name| setting().library.as_ref()?.symbol(&name));
    if let Some(address) = known.map(|known| known as usize).or_else(|| zeros(len)) {
        VARIABLES.write().insert(host, Variable { address, len, registration });
    }
}

/// Registers a variable of managed memory; returns the memory.
pub(crate) fn register_managed(host: usize, len: usize, registration: u64) -> Option<usize> {
    let address = zeros(len)?;
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
