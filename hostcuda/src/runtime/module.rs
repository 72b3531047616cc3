//! Runtime-only calls for kernel libraries.

use crate::boundary::{Out, Text, exports};
use crate::device;
use crate::driver::module::{load, load_file};
use crate::handle::Handle;
use crate::kernel::of_handle;
use crate::runtime::function::set_attribute;

exports! { inside;
    fn cudaLibraryLoadData(to: Out<Handle>, image: Out<u8>) {
        load("cudaLibraryLoadData", to, image)
    }
    fn cudaLibraryLoadFromFile(to: Out<Handle>, path: Text) {
        load_file("cudaLibraryLoadFromFile", to, path)
    }
    fn cudaKernelSetAttributeForDevice(kernel: Handle, number: i32, value: i32, of: i32) {
        device::check(of)?;
        set_attribute(of_handle(kernel)?, number, value)
    }
}
