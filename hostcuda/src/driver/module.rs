//! Loading modules and libraries, and querying them. Loading requires a setting under which launches run.

use super::launch::check_setting;
use crate::boundary::{Out, Text, exports};
use crate::code::{Code, Result};
use crate::context;
use crate::handle::Handle;
use crate::kernel::{Module, lent, module_of, unload};
use crate::report::uncancelled;
use std::ffi::CString;
use std::fs::File;
use std::io::Read;

/// The magic numbers of binary images: a fat binary, its wrapper, and an ELF file.
const BINARIES: [[u8; 4]; 3] = [[0x50, 0xED, 0x55, 0xBA], [0xB1, 0x43, 0x62, 0x46], *b"\x7FELF"];

/// The most bytes of a file that are read.
const FIRST: u64 = 4096;

/// Loads anything that begins with one of those numbers, or with a text that starts with a comment or a directive. Reads no byte past the
/// first mismatch. Refuses every image if the setting refuses launches.
fn load_image(name: &'static str, to: Out<Handle>, image: impl Iterator<Item = u8> + Clone) -> Result {
    let is_text = matches!(image.clone().find(|byte| !byte.is_ascii_whitespace()), Some(b'.' | b'/'));
    if !is_text && !BINARIES.iter().any(|binary| image.clone().take(4).eq(*binary)) {
        return Err(Code::INVALID_IMAGE);
    }
    check_setting(name)?;
    to.check()?.set(Module::load()?)
}

fn load(name: &'static str, to: Out<Handle>, image: Out<u8>) -> Result {
    let image = image.check()?;
    load_image(name, to, (0..).map_while(|at| image.at(at).get().ok()))
}

fn load_file(name: &'static str, to: Out<Handle>, path: Text) -> Result {
    let path = std::path::Path::new(path.get()?);
    let mut first = Vec::new();
    let read = || path.is_file().then(|| File::open(path)?.take(FIRST).read_to_end(&mut first));
    uncancelled(read).and_then(|read: std::io::Result<usize>| read.ok()).ok_or(Code::FILE_NOT_FOUND)?;
    load_image(name, to, first.into_iter())
}

fn kernel(to: Out<Handle>, module: Handle, name: Text) -> Result {
    let name = CString::new(name.get()?).map_err(|_| Code::INVALID_VALUE)?;
    to.check()?.set(module_of(module)?.kernel(module, &name)?.handle()?)
}

/// Writes a variable's address and size. The caller may omit one of the two. Only the user's library has variables of modules.
fn variable(to: Out<usize>, len: Out<usize>, module: Handle, name: Text) -> Result {
    let name = CString::new(name.get()?).map_err(|_| Code::INVALID_VALUE)?;
    if to.is_null() && len.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    module_of(module)?;
    let missing = if name.is_empty() { Code::INVALID_VALUE } else { Code::NOT_FOUND };
    let (start, size) = lent(&name, context::current()?).ok_or(missing)?;
    to.offer(start);
    len.offer(size);
    Ok(())
}

exports! { driver, inside;
    fn cuLibraryGetKernel = cudaLibraryGetKernel(to: Out<Handle>, library: Handle, name: Text) { kernel(to, library, name) }
    fn cuLibraryGetGlobal = cudaLibraryGetGlobal(to: Out<usize>, len: Out<usize>, library: Handle, name: Text) { variable(to, len, library, name) }
    fn cuLibraryUnload = cudaLibraryUnload(library: Handle) { unload(library) }
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
    fn cuModuleGetFunction(to: Out<Handle>, module: Handle, name: Text) { kernel(to, module, name) }
    fn cuModuleGetGlobal_v2(to: Out<usize>, len: Out<usize>, module: Handle, name: Text) { variable(to, len, module, name) }
    fn cuModuleGetLoadingMode(to: Out<i32>) { to.set(2) }
    fn cuModuleUnload(module: Handle) { unload(module) }
    fn cuLibraryLoadData(to: Out<Handle>, image: Out<u8>) { load("cuLibraryLoadData", to, image) }
    fn cuLibraryLoadFromFile(to: Out<Handle>, path: Text) { load_file("cuLibraryLoadFromFile", to, path) }
    fn cuLibraryGetModule(to: Out<Handle>, library: Handle) {
        module_of(library)?;
        to.check()?.set(library)
    }
}

exports! { inside;
    fn cudaLibraryLoadData(to: Out<Handle>, image: Out<u8>) { load("cudaLibraryLoadData", to, image) }
    fn cudaLibraryLoadFromFile(to: Out<Handle>, path: Text) { load_file("cudaLibraryLoadFromFile", to, path) }
}
