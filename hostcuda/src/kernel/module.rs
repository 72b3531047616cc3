//! Modules and libraries of kernels that the program loads.

use super::image::{Contents, contents, contents_at};
use super::variable::{Global, lent};
use super::{Kernel, setting};
use crate::code::{Code, Result};
use crate::context::Context;
use crate::handle::{Handle, of_c, to_c};
use crate::report::{report, report_once};
use gevt_core::host_events::is_inside_function;
use gevt_core::table::{Guard, Recycle, Word, table};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};

/// A module: what is known of its image, and what was asked for.
#[derive(Default)]
pub(crate) struct Module(Mutex<Loaded>);

#[derive(Default)]
struct Loaded {
    image: Contents,
    kernels: BTreeMap<CString, &'static Kernel>,
    variables: BTreeMap<CString, Global>,
}

/// Where the image of a module is.
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
    /// Makes a module.
    pub(crate) fn load(image: &Image<'_>) -> Result<Handle> {
        let image = match image {
            Image::Address(address) => contents_at(*address),
            Image::Bytes(bytes) => contents(bytes),
        };
        let mut loaded = Some(Loaded { image, ..Loaded::default() });
        Ok(to_c(MODULES.insert(|module| module.replace(loaded.take().unwrap_or_default()))?))
    }

    /// Variables wait for work when they are freed, so that is done without the lock.
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
            // Of an image that cannot be read, every name may be a kernel's.
            loaded.image.is_empty() || loaded.image.kernels.contains(name)
        };
        if !runs(name, may_be_skipped) {
            return Err(Code::NOT_FOUND);
        }
        let kernel = || Kernel::new(name.to_owned(), own);
        Ok(self.0.lock().kernels.entry(name.to_owned()).or_insert_with(kernel))
    }

    /// Returns why nothing else than a kernel has that name.
    pub(crate) fn missing(&self, name: &CStr) -> Code {
        self.0.lock().missing(name)
    }

    /// Returns the names of the image's kernels that [`Module::kernel`] finds, if the image can be read.
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

    /// Returns where the variable of that name is, and how long: the user's library's, or one of the image's.
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
        // Another thread may have come first.
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

/// Returns whether a launch of that kernel does anything: one that may be skipped where kernels are, or one that the user's library
/// has. Must not be called with a module's lock held: it may report something.
fn runs(name: &CStr, may_be_skipped: bool) -> bool {
    let setting = setting();
    setting.skip && may_be_skipped || setting.library.as_ref().is_some_and(|library| library.find(name).is_some())
}

impl Loaded {
    /// A kernel's name and an empty one are wrong arguments; of another name nothing is found.
    fn missing(&self, name: &CStr) -> Code {
        if name.is_empty() || self.image.kernels.contains(name) { Code::INVALID_VALUE } else { Code::NOT_FOUND }
    }
}

/// Returns the module of a handle. What it has stays while the caller has it.
pub(crate) fn module_of(handle: Handle) -> Result<Guard<'static, Module>> {
    Ok(MODULES.get(of_c(handle))?)
}

/// Ends a module. Blocks until all contexts are idle, if the module has variables of its own; if another call is using the module,
/// that call does the waiting. What was launched of it still runs. Refused inside a stream's function, which would wait for itself.
pub(crate) fn unload(handle: Handle) -> Result {
    if is_inside_function() {
        return Err(Code::NOT_PERMITTED);
    }
    Ok(MODULES.remove(of_c(handle))?)
}
