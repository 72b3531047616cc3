//! Modules of kernels, and the driver's own calls of libraries.

use crate::both::module::{kernel, kernel_count, kernels, load, load_file, variable};
use crate::boundary::{Out, Text, exports};
use crate::context;
use crate::handle::Handle;
use crate::kernel::{module_of, unload};

exports! { driver;
    fn cuModuleLoad(to: Out<Handle>, path: Text) {
        context::current()?;
        load_file("cuModuleLoad", to, path)
    }
    fn cuModuleLoadData(to: Out<Handle>, image: Out<u8>) {
        context::current()?;
        load("cuModuleLoadData", to, image)
    }
    fn cuModuleLoadDataEx(to: Out<Handle>, image: Out<u8>) {
        context::current()?;
        load("cuModuleLoadDataEx", to, image)
    }
    fn cuModuleLoadFatBinary(to: Out<Handle>, image: Out<u8>) {
        context::current()?;
        load("cuModuleLoadFatBinary", to, image)
    }
    fn cuModuleGetFunction(to: Out<Handle>, module: Handle, name: Text) {
        kernel(to, module, name)
    }
    fn cuModuleGetGlobal_v2(to: Out<usize>, len: Out<usize>, module: Handle, name: Text) {
        variable((to, len), module, name, false)
    }
    fn cuModuleGetFunctionCount(to: Out<u32>, module: Handle) {
        kernel_count(to, module)
    }
    fn cuModuleEnumerateFunctions(to: Out<Handle>, count: u32, module: Handle) {
        kernels(to, count, module)
    }
    fn cuModuleGetLoadingMode(to: Out<i32>) {
        to.set(2)
    }
    fn cuModuleUnload(module: Handle) {
        unload(module)
    }
    fn cuLibraryLoadData(to: Out<Handle>, image: Out<u8>) {
        load("cuLibraryLoadData", to, image)
    }
    fn cuLibraryLoadFromFile(to: Out<Handle>, path: Text) {
        load_file("cuLibraryLoadFromFile", to, path)
    }
    fn cuLibraryGetModule(to: Out<Handle>, library: Handle) {
        module_of(library)?;
        to.check()?.set(library)
    }
}
