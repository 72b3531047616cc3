//! Device variables: registered ones, and those of modules. They are initialized to zeros.

use super::image::Declared;
use super::setting;
use crate::block::{self, Kind};
use crate::code::{Code, Result};
use crate::context::{self, Context};
use crate::device;
use gevt_core::lock::RwLock;
use std::alloc::Layout;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};

/// A variable. All devices share it.
#[derive(Clone, Copy)]
pub(crate) struct Variable {
    pub(crate) address: usize,
    pub(crate) len: usize,
    registration: u64,
    is_managed: bool,
}

/// The variables, by the address of each one's shadow variable in the host code.
static VARIABLES: RwLock<BTreeMap<usize, Variable>> = RwLock::new(BTreeMap::new());

/// A module's variable. The module owns its memory unless the user's library does.
pub(super) struct Global {
    address: usize,
    len: usize,
    is_lent: bool,
}

const ALIGNMENT: usize = 256;

fn layout(len: usize) -> Option<Layout> {
    Layout::from_size_align(len.max(1), ALIGNMENT).ok()
}

/// Returns zeroed memory.
fn zeros(len: usize) -> Option<usize> {
    if len > device::total_memory() {
        return None;
    }
    // SAFETY: the length is not zero.
    let start = unsafe { std::alloc::alloc_zeroed(layout(len)?) } as usize;
    (start != 0).then_some(start)
}

impl Global {
    pub(super) fn new(declared: &Declared, context: &'static Context) -> Result<Global> {
        let len = declared.len;
        let address = zeros(len).ok_or(Code::OUT_OF_MEMORY)?;
        block::list_variable(context, address, len, declared.is_managed);
        Ok(Global { address, len, is_lent: false })
    }

    pub(super) fn place(&self) -> (usize, usize) {
        (self.address, self.len)
    }
}

impl Drop for Global {
    fn drop(&mut self) {
        let (false, Some(layout)) = (self.is_lent, layout(self.len)) else { return };
        if let Some(block) = block::take(self.address, &[Kind::Variable, Kind::ManagedVariable]) {
            // SAFETY: `take` removed it from the list for this call. `free` only drops the entry: the list does not own a variable's
            // memory.
            unsafe { block.free() };
        }
        // Work of any context may use it. If no thread can wait for that, as during exit, the memory is leaked.
        if context::wait_for_all().is_ok() {
            // SAFETY: `new` allocated the memory with this layout, and the list no longer has it. Work that could use it has completed.
            unsafe { std::alloc::dealloc(self.address as *mut u8, layout) };
        }
    }
}

/// Returns the variable of that name in the user's library. It must be at least as long as declared. `declared` is the length, and whether
/// the variable is managed, if the program declares it.
pub(super) fn lent(name: &CStr, declared: Option<(usize, bool)>, context: &'static Context) -> Option<Global> {
    let (address, len) = setting().library.as_ref()?.variable(name, declared.map(|(len, _)| len))?;
    block::list_variable(context, address, len, declared.is_some_and(|(_, is_managed)| is_managed));
    Some(Global { address, len, is_lent: true })
}

/// Registers a variable of the program. If the user's library has one of that name, it provides the memory.
pub(crate) fn register_variable(host: usize, name: Option<CString>, len: usize, registration: u64) {
    let known = name.as_ref().and_then(|name| setting().library.as_ref()?.variable(name, Some(len)));
    if let Some(address) = known.map(|(address, _)| address).or_else(|| zeros(len)) {
        VARIABLES.write().insert(host, Variable { address, len, registration, is_managed: false });
    }
}

/// Registers a managed variable and returns its memory.
pub(crate) fn register_managed(host: usize, len: usize, registration: u64) -> Option<usize> {
    let address = zeros(len)?;
    let variable = Variable { address, len, registration, is_managed: true };
    VARIABLES.write().extend([(host, variable), (address, variable)]);
    Some(address)
}

/// Removes the variables from the table. Their memory stays, because work may still access it.
pub(super) fn unregister(registration: u64) {
    VARIABLES.write().retain(|_, variable| variable.registration != registration);
}

/// Returns the variable with that shadow variable on the host. From then on, it is memory of the current context's device.
pub(crate) fn find_variable(host: usize) -> Result<Variable> {
    let variable = VARIABLES.read().get(&host).copied().ok_or(Code::INVALID_SYMBOL)?;
    if !variable.is_managed {
        block::list_variable(context::current()?, variable.address, variable.len, false);
    }
    Ok(variable)
}
