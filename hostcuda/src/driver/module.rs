//! Loading modules and libraries, which are not read, and their kernels. Loading requires a setting under which launches run.

use super::launch::check_setting;
use crate::boundary::{Out, Text, exports};
use crate::code::{Code, Result};
use crate::context;
use crate::handle::Handle;
use crate::kernel::{Module, module_of, unload};
use std::ffi::CString;
use std::path::Path;

fn load(to: Out<Handle>, image: Out<u8>) -> Result {
    image.check()?;
    check_setting()?;
    to.check()?.set(Module::load()?)
}

fn load_file(to: Out<Handle>, path: Text) -> Result {
    if !Path::new(path.get()?).is_file() {
        return Err(Code::FILE_NOT_FOUND);
    }
    check_setting()?;
    to.check()?.set(Module::load()?)
}

fn kernel(to: Out<Handle>, module: Handle, name: Text) -> Result {
    let name = CString::new(name.get()?).map_err(|_| Code::INVALID_VALUE)?;
    to.check()?.set(module_of(module)?.kernel(&name)?.handle()?)
}

exports! { driver, inside;
    fn cuLibraryGetKernel = cudaLibraryGetKernel(to: Out<Handle>, library: Handle, name: Text) { kernel(to, library, name) }
    fn cuLibraryUnload = cudaLibraryUnload(library: Handle) { unload(library) }
}

exports! { driver;
    fn cuModuleLoad(to: Out<Handle>, path: Text) {
        context::current()?;
        load_file(to, path)
    }
    fn cuModuleLoadData = cuModuleLoadDataEx, cuModuleLoadFatBinary(to: Out<Handle>, image: Out<u8>) {
        context::current()?;
        load(to, image)
    }
    fn cuModuleGetFunction(to: Out<Handle>, module: Handle, name: Text) { kernel(to, module, name) }
    fn cuModuleGetLoadingMode(to: Out<i32>) { to.set(2) }
    fn cuModuleUnload(module: Handle) { unload(module) }
    fn cuLibraryLoadData(to: Out<Handle>, image: Out<u8>) { load(to, image) }
    fn cuLibraryLoadFromFile(to: Out<Handle>, path: Text) { load_file(to, path) }
    fn cuLibraryGetModule(to: Out<Handle>, library: Handle) {
        module_of(library)?;
        to.check()?.set(library)
    }
}

exports! { inside;
    fn cudaLibraryLoadData(to: Out<Handle>, image: Out<u8>) { load(to, image) }
    fn cudaLibraryLoadFromFile(to: Out<Handle>, path: Text) { load_file(to, path) }
}
