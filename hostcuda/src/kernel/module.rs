//! Modules and libraries that the program loads.

use super::image::{Contents, contents, contents_at};
use super::variable::{Global, lent};
use super::{Kernel, setting};
use crate::code::{Code, Result};
use crate::context::Context;
use crate::handle::{Handle, of_c, to_c};
use crate::report::{report, report_once};
use gevt_core::host_events::is_inside_function;
use gevt_core::lock::Mutex;
use gevt_core::table::{Guard, Recycle, Word, table};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};

/// A module: the readable contents of its image, and the kernels and variables that were requested.
#[derive(Default)]
pub(crate) struct Module(Mutex<Loaded>);

#[derive(Default)]
struct Loaded {
    image: Contents,
    kernels: BTreeMap<CString, &'static Kernel>,
    variables: BTreeMap<CString, Global>,
}

/// The location of a module's image.
pub(crate) enum Image<'a> {
    Address(usize),
    Bytes(&'a [u8]),
}

table! {
    static MODULES: Module, Module;
}

impl Recycle for Module {
    fn recycle(&self, _: Word) {
        self.replace(Loaded::default());
    }
}

impl Module {
    pub(crate) fn load(image: &Image<'_>) -> Result<Handle> {
        let image = match image {
            Image::Address(address) => contents_at(*address),
            Image::Bytes(bytes) => contents(bytes),
        };
        let mut loaded = Some(Loaded { image, ..Loaded::default() });
        Ok(to_c(MODULES.insert(|module| module.replace(loaded.take().unwrap_or_default()))?))
    }

    /// Dropping variables waits for work, so the old value is dropped after the lock is released.
    fn replace(&self, loaded: Loaded) {
        let before = std::mem::replace(&mut *self.0.lock(), loaded);
        drop(before);
    }

    /// Returns the kernel of that name.
    pub(crate) fn kernel(&self, own: Handle, name: &CStr) -> Result<&'static Kernel> {
        let may_be_skipped = {
            let loaded = self.0.lock();
            if let Some(kernel) = loaded.kernels.get(name) {
                return Ok(kernel);
            }
            // If an image is unreadable, any name may be a kernel's.
            loaded.image.is_empty() || loaded.image.kernels.contains(name)
        };
        if !runs(name, may_be_skipped) {
            return Err(Code::NOT_FOUND);
        }
        let kernel = || Kernel::new(name.to_owned(), own);
        Ok(self.0.lock().kernels.entry(name.to_owned()).or_insert_with(kernel))
    }

    /// Returns the error for a name that no variable has.
    pub(crate) fn missing(&self, name: &CStr) -> Code {
        self.0.lock().missing(name)
    }

    /// Returns the image's kernel names that [`Module::kernel`] finds. Fails if the image is unreadable.
    pub(crate) fn kernel_names(&self) -> Result<Vec<CString>> {
        let names = {
            let loaded = self.0.lock();
            if loaded.image.is_empty() {
                return Err(Code::NOT_SUPPORTED);
            }
            loaded.image.kernels.clone()
        };
        Ok(names.into_iter().filter(|name| runs(name, true)).collect())
    }

    /// Returns the address and the size of a variable: the user library's, or one of the image.
    pub(crate) fn variable(&self, name: &CStr, context: &'static Context, managed: bool) -> Result<(usize, usize)> {
        let declared = {
            let loaded = self.0.lock();
            let declared = loaded.image.variables.get(name);
            if managed && !declared.is_some_and(|declared| declared.is_managed) {
                return Err(Code::NOT_FOUND);
            }
            if let Some(global) = loaded.variables.get(name) {
                return Ok(global.place());
            }
            declared.map(|declared| (declared.len, declared.is_managed))
        };
        let lent = lent(name, declared, context);
        let mut loaded = self.0.lock();
        let Loaded { image, variables, .. } = &mut *loaded;
        // Another thread may have added it in the meantime.
        if let Some(global) = variables.get(name) {
            return Ok(global.place());
        }
        let global = match (lent, image.variables.get(name)) {
            (Some(lent), _) => lent,
            (None, Some(declared)) => Global::new(declared, context)?,
            (None, None) => {
                let (missing, is_empty) = (loaded.missing(name), loaded.image.is_empty());
                drop(loaded);
                if is_empty {
                    report_once("module", || {
                        report(format_args!(
                            "a module's code is compressed or of no known form: it has no variables here"
                        ));
                    });
                }
                return Err(missing);
            }
        };
        let place = global.place();
        variables.insert(name.to_owned(), global);
        Ok(place)
    }
}

/// Returns whether launching that kernel has an effect: it is skipped, or the user's library has it. Must not be called with a module's
/// lock held, because it may write a report.
fn runs(name: &CStr, may_be_skipped: bool) -> bool {
    let setting = setting();
    setting.skip && may_be_skipped || setting.library.as_ref().is_some_and(|library| library.find(name).is_some())
}

impl Loaded {
    /// An empty name and a kernel's name are invalid arguments. Any other name is not found.
    fn missing(&self, name: &CStr) -> Code {
        if name.is_empty() || self.image.kernels.contains(name) { Code::INVALID_VALUE } else { Code::NOT_FOUND }
    }
}

/// Returns the module of a handle. Its contents stay valid while the caller holds the guard.
pub(crate) fn module_of(handle: Handle) -> Result<Guard<'static, Module>> {
    Ok(MODULES.get(of_c(handle))?)
}

/// Unloads a module. Blocks until all contexts are idle if the module owns variables. If another call is using the module, that call waits
/// instead. Launched kernels still run. Refused inside a host function, because that would wait for itself.
pub(crate) fn unload(handle: Handle) -> Result {
    if is_inside_function() {
        return Err(Code::NOT_PERMITTED);
    }
    Ok(MODULES.remove(of_c(handle))?)
}
