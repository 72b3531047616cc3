//! Modules and libraries of kernels. They can be loaded where launches do something; what is in them is not read.

use crate::both::launch::check_setting;
use crate::boundary::{Out, Text, exports};
use crate::code::{Code, Result};
use crate::context;
use crate::handle::Handle;
use crate::kernel::{Module, module_of, unload};
use crate::report::uncancelled;
use std::ffi::{CString, c_void};

fn load(name: &'static str, to: Out<Handle>, image: *const c_void) -> Result {
    check_setting(name)?;
    if image.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    to.check()?.set(Module::load()?)
}

fn load_file(name: &'static str, to: Out<Handle>, path: Text) -> Result {
    check_setting(name)?;
    let path = path.get()?;
    if !uncancelled(|| std::path::Path::new(path).is_file()) {
        return Err(Code::FILE_NOT_FOUND);
    }
    to.check()?.set(Module::load()?)
}

fn kernel(to: Out<Handle>, module: Handle, name: Text) -> Result {
    let name = CString::new(name.get()?).map_err(|_| Code::INVALID_VALUE)?;
    to.check()?.set(module_of(module)?.kernel(module, &name)?.handle()?)
}

exports! { driver;
    fn cuModuleLoad(to: Out<Handle>, path: Text) {
        context::current()?;
        load_file("cuModuleLoad", to, path)
    }
    fn cuModuleLoadData(to: Out<Handle>, image: *const c_void) {
        context::current()?;
        load("cuModuleLoadData", to, image)
    }
    fn cuModuleLoadDataEx(to: Out<Handle>, image: *const c_void) {
        context::current()?;
        load("cuModuleLoadDataEx", to, image)
    }
    fn cuModuleLoadFatBinary(to: Out<Handle>, image: *const c_void) {
        context::current()?;
        load("cuModuleLoadFatBinary", to, image)
    }
    fn cuModuleGetFunction(to: Out<Handle>, module: Handle, name: Text) {
        kernel(to, module, name)
    }
    fn cuModuleGetLoadingMode(to: Out<i32>) {
        to.set(2)
    }
    fn cuModuleUnload(module: Handle) {
        unload(module)
    }
    fn cuLibraryLoadData(to: Out<Handle>, image: *const c_void) {
        load("cuLibraryLoadData", to, image)
    }
    fn cuLibraryLoadFromFile(to: Out<Handle>, path: Text) {
        load_file("cuLibraryLoadFromFile", to, path)
    }
    fn cuLibraryGetKernel(to: Out<Handle>, library: Handle, name: Text) {
        kernel(to, library, name)
    }
    fn cuLibraryGetModule(to: Out<Handle>, library: Handle) {
        module_of(library)?;
        to.check()?.set(library)
    }
    fn cuLibraryUnload(library: Handle) {
        unload(library)
    }
}
