//! Device variables of the program. They are initialized to zeros, or are variables of the user's library.

use super::setting;
use crate::block;
use crate::code::{Code, Result};
use crate::context;
use crate::device;
use gevt_core::lock::Mutex;
use std::alloc::Layout;
use std::collections::BTreeMap;
use std::ffi::CString;

/// A variable. All devices share it.
#[derive(Clone, Copy)]
pub(crate) struct Variable {
    pub(crate) address: usize,
    pub(crate) len: usize,
    registration: u64,
    is_managed: bool,
}

/// The variables, by the address of each one's shadow variable in the host code.
static VARIABLES: Mutex<BTreeMap<usize, Variable>> = Mutex::new(BTreeMap::new());

const ALIGNMENT: usize = 256;

/// Returns zeroed memory. It is never freed, because work may access it.
fn zeros(len: usize) -> Option<usize> {
    if len > device::total_memory() {
        return None;
    }
    let layout = Layout::from_size_align(len.max(1), ALIGNMENT).ok()?;
    // SAFETY: the length is not zero.
    let start = unsafe { std::alloc::alloc_zeroed(layout) } as usize;
    (start != 0).then_some(start)
}

/// Registers a variable of the program. If the user's library has one of that name, it provides the memory.
pub(crate) fn register_variable(host: usize, name: Option<CString>, len: usize, registration: u64) {
    let known = name.as_ref().and_then(|name| setting().library.as_ref()?.variable(name, len));
    if let Some(address) = known.or_else(|| zeros(len)) {
        VARIABLES.lock().insert(host, Variable { address, len, registration, is_managed: false });
    }
}

/// Registers a managed variable and returns its memory.
pub(crate) fn register_managed(host: usize, len: usize, registration: u64) -> Option<usize> {
    let address = zeros(len)?;
    let variable = Variable { address, len, registration, is_managed: true };
    VARIABLES.lock().extend([(host, variable), (address, variable)]);
    Some(address)
}

/// Removes the variables from the table. Their memory stays, because work may still access it.
pub(super) fn unregister(registration: u64) {
    VARIABLES.lock().retain(|_, variable| variable.registration != registration);
}

/// Returns the variable with that shadow variable on the host. From then on, it is memory of the current context's device.
pub(crate) fn find_variable(host: usize) -> Result<Variable> {
    let variable = VARIABLES.lock().get(&host).copied().ok_or(Code::INVALID_SYMBOL)?;
    if !variable.is_managed {
        block::list_variable(context::current()?, variable.address, variable.len);
    }
    Ok(variable)
}
