//! Libraries of kernels that the program loads.

use crate::boundary::{Out, Text, exports};
use crate::device;
use crate::driver::module::{kernel, kernel_count, kernels, load, load_file, unified_function, variable};
use crate::handle::Handle;
use crate::kernel::{of_handle, unload};
use crate::runtime::function::set_attribute;

exports! { inside;
    fn cudaLibraryLoadData(to: Out<Handle>, image: Out<u8>) {
        load("cudaLibraryLoadData", to, image)
    }
    fn cudaLibraryLoadFromFile(to: Out<Handle>, path: Text) {
        load_file("cudaLibraryLoadFromFile", to, path)
    }
    fn cudaLibraryUnload(library: Handle) {
        unload(library)
    }
    fn cudaLibraryGetKernel(to: Out<Handle>, library: Handle, name: Text) {
        kernel(to, library, name)
    }
    fn cudaLibraryGetKernelCount(to: Out<u32>, library: Handle) {
        kernel_count(to, library)
    }
    fn cudaLibraryEnumerateKernels(to: Out<Handle>, count: u32, library: Handle) {
        kernels(to, count, library)
    }
    fn cudaLibraryGetGlobal(to: Out<usize>, len: Out<usize>, library: Handle, name: Text) {
        variable((to, len), library, name, false)
    }
    fn cudaLibraryGetManaged(to: Out<usize>, len: Out<usize>, library: Handle, name: Text) {
        variable((to, len), library, name, true)
    }
    fn cudaLibraryGetUnifiedFunction(to: Out<usize>, library: Handle, name: Text) {
        unified_function(to, library, name)
    }
    fn cudaKernelSetAttributeForDevice(kernel: Handle, number: i32, value: i32, of: i32) {
        device::check(of)?;
        set_attribute(of_handle(kernel)?, number, value)
    }
}
