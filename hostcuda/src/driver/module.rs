//! Loading modules and libraries, and querying them. Loading requires a setting under which launches run.

use super::launch::check_setting;
use crate::boundary::{Out, Text, exports};
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::kernel::{Image, MOST, Module, module_of, unload};
use crate::report::uncancelled;
use crate::{context, probe};
use std::ffi::CString;
use std::fs::File;
use std::io::Read as _;
use std::io::{Error, ErrorKind};

/// The magic numbers of binary images: a fat binary, its wrapper, and an ELF file.
const BINARIES: [[u8; 4]; 3] = [[0x50, 0xED, 0x55, 0xBA], [0xB1, 0x43, 0x62, 0x46], *b"\x7FELF"];

/// How much of a file is read before the rest is known to be needed.
const FIRST: u64 = 4096;

/// Returns whether the bytes begin with one of those numbers, or with a text that starts with a comment or a directive. Reads no byte past
/// the first mismatch.
fn is_image(bytes: impl Iterator<Item = u8> + Clone) -> bool {
    let mut text = bytes.clone().skip_while(u8::is_ascii_whitespace);
    matches!(text.next(), Some(b'.' | b'/')) || BINARIES.iter().any(|binary| bytes.clone().take(4).eq(*binary))
}

/// Refuses anything that does not begin like an image. Refuses every image if the setting refuses launches.
fn check_image(name: &'static str, first: impl Iterator<Item = u8> + Clone) -> Result {
    if is_image(first) { check_setting(name) } else { Err(Code::INVALID_IMAGE) }
}

pub(crate) fn load(name: &'static str, to: Out<Handle>, image: Out<u8>) -> Result {
    let address = image.check()?.address();
    // SAFETY: the caller of the exported function passes an image, whose first bytes give its type. `is_image` reads no others.
    check_image(name, unsafe { probe::bytes(address) })?;
    to.check()?.set(Module::load(&Image::Address(address))?)
}

pub(crate) fn load_file(name: &'static str, to: Out<Handle>, path: Text) -> Result {
    let path = std::path::Path::new(path.get()?);
    if !path.is_file() {
        return Err(Code::FILE_NOT_FOUND);
    }
    let bytes = uncancelled(|| read_image(name, path))?;
    to.check()?.set(Module::load(&Image::Bytes(&bytes))?)
}

/// Returns the contents of a file that may be loaded.
fn read_image(name: &'static str, path: &std::path::Path) -> Result<Vec<u8>> {
    let failed = |error: Error| match error.kind() {
        ErrorKind::OutOfMemory => Code::OUT_OF_MEMORY,
        _ => Code::FILE_NOT_FOUND,
    };
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    (&file).take(FIRST).read_to_end(&mut bytes).map_err(failed)?;
    check_image(name, bytes.iter().copied())?;
    (&file).take(MOST as u64 - FIRST).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

pub(crate) fn kernel(to: Out<Handle>, module: Handle, name: Text) -> Result {
    let name = CString::new(name.get()?).map_err(|_| Code::INVALID_VALUE)?;
    to.check()?.set(module_of(module)?.kernel(module, &name)?.handle()?)
}

/// Writes a variable's address and size. The caller may omit one of the two.
pub(crate) fn variable(to: (Out<usize>, Out<usize>), module: Handle, name: Text, managed: bool) -> Result {
    let name = CString::new(name.get()?).map_err(|_| Code::INVALID_VALUE)?;
    if to.0.is_null() && to.1.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    let (address, len) = module_of(module)?.variable(&name, context::current()?, managed)?;
    to.0.offer(address);
    to.1.offer(len);
    Ok(())
}

/// Returns the error for a name without a unified function. No library has unified functions here.
pub(crate) fn unified_function(to: Out<usize>, library: Handle, name: Text) -> Result {
    to.check()?;
    let name = CString::new(name.get()?).map_err(|_| Code::INVALID_VALUE)?;
    Err(module_of(library)?.missing(&name))
}

/// Writes the kernels of an image, as many as fit.
pub(crate) fn kernels(to: Out<Handle>, count: u32, module: Handle) -> Result {
    let of = module_of(module)?;
    let names = of.kernel_names()?.into_iter().take(count as usize);
    let handles = names.map(|name| of.kernel(module, &name)?.handle()).collect::<Result<Vec<_>>>()?;
    to.check()?;
    handles.into_iter().enumerate().try_for_each(|(at, handle)| to.at(at).set(handle))
}

pub(crate) fn kernel_count(to: Out<u32>, module: Handle) -> Result {
    to.check()?.set(u32::try_from(module_of(module)?.kernel_names()?.len()).unwrap_or(u32::MAX))
}

exports! { driver, inside;
    fn cuLibraryGetKernel = cudaLibraryGetKernel(to: Out<Handle>, library: Handle, name: Text) {
        kernel(to, library, name)
    }
    fn cuLibraryGetKernelCount = cudaLibraryGetKernelCount(to: Out<u32>, library: Handle) {
        kernel_count(to, library)
    }
    fn cuLibraryEnumerateKernels = cudaLibraryEnumerateKernels(to: Out<Handle>, count: u32, library: Handle) {
        kernels(to, count, library)
    }
    fn cuLibraryGetGlobal = cudaLibraryGetGlobal(to: Out<usize>, len: Out<usize>, library: Handle, name: Text) {
        variable((to, len), library, name, false)
    }
    fn cuLibraryGetManaged = cudaLibraryGetManaged(to: Out<usize>, len: Out<usize>, library: Handle, name: Text) {
        variable((to, len), library, name, true)
    }
    fn cuLibraryGetUnifiedFunction = cudaLibraryGetUnifiedFunction(to: Out<usize>, library: Handle, name: Text) {
        unified_function(to, library, name)
    }
    fn cuLibraryUnload = cudaLibraryUnload(library: Handle) {
        unload(library)
    }
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
