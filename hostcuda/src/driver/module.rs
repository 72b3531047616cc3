//! Modules and libraries of kernels. They can be loaded where launches do something; of what is in them only the first bytes are read.

use crate::both::launch::check_setting;
use crate::boundary::{Out, Text, exports};
use crate::code::{Code, Result};
use crate::context;
use crate::handle::Handle;
use crate::kernel::{Module, module_of, unload};
use crate::report::uncancelled;
use std::ffi::CString;
use std::fs::File;
use std::io::Read as _;

/// How images begin, but for texts: a fat binary, its wrapper, and an ELF file.
const BINARIES: [[u8; 4]; 3] = [[0x50, 0xED, 0x55, 0xBA], [0xB1, 0x43, 0x62, 0x46], *b"\x7FELF"];

/// How much of a file is read: a text may begin with empty lines.
const LOOKED_AT: u64 = 4096;

/// Returns whether the bytes begin as an image does: as one of those, or as a text, with a comment or a directive. No byte behind the
/// first one that differs is read.
fn is_image(bytes: impl Iterator<Item = u8> + Clone) -> bool {
    let mut text = bytes.clone().skip_while(u8::is_ascii_whitespace);
    matches!(text.next(), Some(b'.' | b'/')) || BINARIES.iter().any(|binary| bytes.clone().take(4).eq(*binary))
}

fn load_image(name: &'static str, to: Out<Handle>, bytes: impl Iterator<Item = u8> + Clone) -> Result {
    if !is_image(bytes) {
        return Err(Code::INVALID_IMAGE);
    }
    check_setting(name)?;
    to.check()?.set(Module::load()?)
}

fn load(name: &'static str, to: Out<Handle>, image: Out<u8>) -> Result {
    image.check()?;
    load_image(name, to, (0..).map_while(move |at| image.at(at).get().ok()))
}

fn load_file(name: &'static str, to: Out<Handle>, path: Text) -> Result {
    let path = std::path::Path::new(path.get()?);
    if !path.is_file() {
        return Err(Code::FILE_NOT_FOUND);
    }
    let mut bytes = Vec::new();
    let read = || File::open(path)?.take(LOOKED_AT).read_to_end(&mut bytes);
    uncancelled(read).map_err(|_| Code::FILE_NOT_FOUND)?;
    load_image(name, to, bytes.iter().copied())
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
