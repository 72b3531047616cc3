//! Modules and libraries of kernels that the program loads. What is in them is not read: a name stands for a kernel.

use super::{Kernel, setting};
use crate::code::{Code, Result};
use crate::handle::{Handle, of_c, to_c};
use gevt_core::table::{Recycle, Word, table};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};

/// The kernels of a module that were asked for.
#[derive(Default)]
pub(crate) struct Module(Mutex<BTreeMap<CString, &'static Kernel>>);

table! {
    static MODULES: Module, Module;
}

impl Recycle for Module {
    fn recycle(&self, _: Word) {
        self.0.lock().clear();
    }
}

impl Module {
    /// Makes a module.
    pub(crate) fn load() -> Result<Handle> {
        Ok(to_c(MODULES.insert(|module| module.0.lock().clear())?))
    }

    /// Returns the kernel of that name. Where kernels are not skipped, the user's library has to have it.
    pub(crate) fn kernel(&self, own: Handle, name: &CStr) -> Result<&'static Kernel> {
        let mut kernels = self.0.lock();
        if let Some(kernel) = kernels.get(name) {
            return Ok(kernel);
        }
        let kernel = Kernel::new(name.to_owned(), own);
        if !setting().skip && kernel.host().is_none() {
            return Err(Code::NOT_FOUND);
        }
        kernels.insert(name.to_owned(), kernel);
        Ok(kernel)
    }
}

/// Returns the module of a handle.
pub(crate) fn module_of(handle: Handle) -> Result<&'static Module> {
    Ok(MODULES.peek(of_c(handle))?)
}

/// Ends a module. What was launched of it still runs.
pub(crate) fn unload(handle: Handle) -> Result {
    Ok(MODULES.remove(of_c(handle))?)
}
