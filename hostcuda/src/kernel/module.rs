//! Modules and libraries that the program loads. Device code is not read: any name may be a kernel's.

use super::{Kernel, setting};
use crate::code::{Code, Result};
use crate::handle::{Handle, of_c, to_c};
use gevt_core::host_streams::is_inside_function;
use gevt_core::lock::Mutex;
use gevt_core::table::{Guard, Recycle, Word, table};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};

/// A module: the kernels that were requested.
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
    pub(crate) fn load() -> Result<Handle> {
        Ok(to_c(MODULES.insert(|_| {})?))
    }

    /// Returns the kernel of that name. It is skipped, or the user's library has it.
    pub(crate) fn kernel(&self, name: &CStr) -> Result<&'static Kernel> {
        if let Some(kernel) = self.0.lock().get(name) {
            return Ok(kernel);
        }
        let setting = setting();
        // The search may write a report, so the lock is not held.
        if !setting.skip && setting.library.as_ref().is_none_or(|library| library.find(name).is_none()) {
            return Err(Code::NOT_FOUND);
        }
        Ok(self.0.lock().entry(name.to_owned()).or_insert_with(|| Kernel::new(name.to_owned())))
    }
}

/// Returns the module of a handle. Its contents stay valid while the caller holds the guard.
pub(crate) fn module_of(handle: Handle) -> Result<Guard<'static, Module>> {
    Ok(MODULES.get(of_c(handle))?)
}

/// Unloads a module. Launched kernels still run. Refused inside a host function, as by a driver.
pub(crate) fn unload(handle: Handle) -> Result {
    if is_inside_function() {
        return Err(Code::NOT_PERMITTED);
    }
    Ok(MODULES.remove(of_c(handle))?)
}
