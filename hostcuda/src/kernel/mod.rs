//! Kernels that the program has registered or loaded.

mod launch;
mod library;
mod module;
mod setting;
mod variable;

pub(crate) use launch::{Launch, Shape};
pub(crate) use module::{Module, module_of, unload};
pub(crate) use setting::setting;
pub(crate) use variable::{find_variable, register_managed, register_variable};

use crate::code::{Code, Result};
use crate::handle::{Handle, Lasting, of_c};
use crate::report::{report, report_once};
use gevt_core::lock::Mutex;
use gevt_core::table::table;
use library::HostFunction;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::OnceLock;

/// A kernel. It is never freed, because launches refer to it after its module is unloaded.
pub(crate) struct Kernel {
    pub(crate) name: CString,
    handle: OnceLock<Handle>,
    host: OnceLock<Option<HostFunction>>,
}

table! {
    static KERNELS: Lasting<Kernel>, Kernel;
}

/// The registered kernels and their registration numbers, by the address of each kernel's stub in the host code.
static REGISTERED: Mutex<BTreeMap<usize, (&'static Kernel, u64)>> = Mutex::new(BTreeMap::new());

/// The default and the opt-in limit of a launch's dynamic shared memory.
pub(crate) const SHARED: i32 = 48 << 10;
pub(crate) const MOST_SHARED: i32 = 227 << 10;

impl Kernel {
    fn new(name: CString) -> &'static Kernel {
        Box::leak(Box::new(Kernel { name, handle: OnceLock::new(), host: OnceLock::new() }))
    }

    /// Returns its handle, which is created on first use.
    pub(crate) fn handle(&'static self) -> Result<Handle> {
        if let Some(handle) = self.handle.get() {
            return Ok(*handle);
        }
        let made = Lasting::insert(&KERNELS, self)?;
        let kept = *self.handle.get_or_init(|| made);
        if kept != made {
            let _ = KERNELS.remove(of_c(made));
        }
        Ok(kept)
    }

    /// Returns its host function, if the user's library has one. If not, it is reported what happens to the kernel.
    pub(crate) fn host(&self) -> Option<&HostFunction> {
        let find = || setting().library.as_ref()?.find(&self.name);
        self.host.get_or_init(|| find().or_else(|| self.report_none())).as_ref()
    }

    /// Reports once for each name that it has no host function.
    fn report_none(&self) -> Option<HostFunction> {
        let (setting, name) = (setting(), self.name.to_string_lossy());
        match setting.library {
            None if setting.skip => {
                report_once("skip", || report(format_args!("kernels are skipped: launches succeed and do nothing")));
            }
            _ => report_once(&format!("kernel {name}"), || {
                let what = if setting.skip { "skipped" } else { "refused" };
                report(format_args!("{name} has no host function and is {what}"));
            }),
        }
        None
    }
}

/// Registers a kernel of the program.
pub(crate) fn register(function: usize, name: CString, registration: u64) {
    REGISTERED.lock().insert(function, (Kernel::new(name), registration));
}

/// Removes all kernels with that registration number.
pub(crate) fn unregister(registration: u64) {
    REGISTERED.lock().retain(|_, (_, number)| *number != registration);
    variable::unregister(registration);
}

/// Returns the kernel of a handle or of a stub function.
pub(crate) fn find(function: usize) -> Option<&'static Kernel> {
    let registered = || REGISTERED.lock().get(&function).map(|(kernel, _)| *kernel);
    Lasting::find(&KERNELS, function).or_else(registered)
}

/// Same as [`find`], for the runtime API.
pub(crate) fn of_symbol(function: usize) -> Result<&'static Kernel> {
    find(function).ok_or(Code::INVALID_HANDLE)
}

/// Same as [`find`], for the driver API.
pub(crate) fn of_handle(handle: Handle) -> Result<&'static Kernel> {
    Lasting::find(&KERNELS, handle).ok_or(Code::INVALID_HANDLE)
}
